import TestSupport
import Testing

@testable import PatchbayManager

@Suite struct QueueTests {
    @Test("elements leave in the order in which they arrived, and each place can be changed, filled and emptied")
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
                    if number % 3 == 0 { #expect(queue.remove(at: place) == model.remove(at: place)) }
                }
                if number % 3 == 1 {
                    let place = Int(random.next() % UInt64(model.count + 1))
                    queue.insert([-number], at: place)
                    model.insert([-number], at: place)
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
}
