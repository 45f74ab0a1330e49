import TestSupport
import Testing

@testable import PatchbayManager

@Suite struct QueueTests {
    @Test("elements leave in the order in which they arrived, whatever comes between, and each place can be changed")
    func order() {
        var random = SplitMix(seed: 56)
        for most in [1, 2, 5, 100] {
            var (queue, model) = (Queue<[Int]>(), [[Int]]())
            for number in 0..<2_000 {
                if random.next() % UInt64(most + 1) > 0, model.count < most {
                    queue.append([number])
                    model.append([number])
                } else {
                    #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
                }
                if let place = model.indices.randomElement(using: &random) {
                    queue[place].append(number)
                    model[place].append(number)
                }
                #expect(queue.count == model.count && queue.first == model.first && queue.last == model.last)
                if number % 16 == 0 { #expect(Array(queue) == model) }
            }
        }
        #expect(Array(Queue([1, 2, 3])) == [1, 2, 3])
    }

    @Test("a taken element is released at once")
    func released() throws {
        final class Element {}
        var queue = Queue<Element>()
        var element: Element? = Element()
        weak let kept = element
        queue.append(try #require(element))
        queue.append(Element())
        element = nil
        #expect(kept != nil)
        _ = queue.popFirst()
        #expect(kept == nil)
        #expect(queue.count == 1)
    }

    @Test("a mailbox gives the bytes that it was given, taken as pieces or copied, in any sizes")
    func mailbox() throws {
        var random = SplitMix(seed: 57)
        for _ in 0..<50 {
            var mailbox = Mailbox(limit: 1 << 30)
            var (given, taken) = ([UInt8](), [UInt8]())
            while given.count < 1 << 20 {
                let piece = (0..<Int(random.next() % 100_000)).map {
                    UInt8(truncatingIfNeeded: $0 &* 31 &+ given.count)
                }
                given += piece
                if random.next() % 2 == 0 {
                    mailbox.append(piece)
                } else {
                    piece.withUnsafeBytes { mailbox.append($0) }
                }
                var buffer = [UInt8](repeating: 0, count: Int(random.next() % 80_000) + 1)
                let count = buffer.withUnsafeMutableBytes { mailbox.copy(into: $0).bytes }
                taken += buffer.prefix(count)
            }
            #expect(mailbox.count == given.count - taken.count)
            var buffer = [UInt8](repeating: 0, count: 70_000)
            while mailbox.count > 0 {
                let count = buffer.withUnsafeMutableBytes { mailbox.copy(into: $0).bytes }
                try #require(count > 0)
                taken += buffer.prefix(count)
            }
            #expect(taken == given)
            #expect(mailbox.take() == nil)
        }
    }
}
