import Testing

@testable import PatchbayManager

@Suite("The digest of the cache") struct KeyedDigestTests {
    /// The key of the paper's own examples: the bytes 0 to 15.
    private static let digest = KeyedDigest(
        key: KeyedDigest.Value(high: 0x0706_0504_0302_0100, low: 0x0F0E_0D0C_0B0A_0908))

    @Test(
        "it is SipHash-2-4 of 128 bits",
        arguments: [
            (0, 0xE6A8_25BA_047F_81A3 as UInt64, 0x9302_55C7_1472_F66D as UInt64),
            (1, 0x44AF_996B_D8C1_87DA, 0x45FC_229B_1159_7634),
            (15, 0x11A8_B033_99E9_9354, 0xD9C3_CF97_0FEC_087E),
        ])
    func vectors(count: Int, first: UInt64, second: UInt64) {
        let value = Self.digest.value(of: (0..<count).map { UInt8($0) })
        #expect(value.low == first)
        #expect(value.high == second)
    }
}
