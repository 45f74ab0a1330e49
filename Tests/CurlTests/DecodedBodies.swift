/// The bodies behind the content codings of the suites, as other decoders than libcurl's made them: how long, and their digest.
enum DecodedBodies {
    struct Expected {
        let count: Int
        /// FNV-1a, 64 bits.
        let digest: UInt64
    }

    static let all: [String: Expected] = [
        "curl/220": Expected(count: 24, digest: 0x7E1D_5CFE_CEC3_62DF),
        "curl/222": Expected(count: 5_041, digest: 0x80D4_0985_F9E8_D9ED),
        "curl/224": Expected(count: 45, digest: 0x40F0_62CF_FFD0_C0C2),
        // Two gzip members, one after the other (RFC 1952, section 2.2).
        "curl/2305": Expected(count: 14, digest: 0x07E8_6DB0_86D2_53BA),
        "curl/230": Expected(count: 5_041, digest: 0x80D4_0985_F9E8_D9ED),
        "curl/232": Expected(count: 5_041, digest: 0x80D4_0985_F9E8_D9ED),
        "curl/314": Expected(count: 5_041, digest: 0x80D4_0985_F9E8_D9ED),
        "curl/316": Expected(count: 16_512, digest: 0x0555_820B_AF33_FF25),
        "curl/328": Expected(count: 38, digest: 0x6E4D_7BE8_ACDC_E59A),
        "curl/396": Expected(count: 5_041, digest: 0x80D4_0985_F9E8_D9ED),
        "curl/397": Expected(count: 16_512, digest: 0x0555_820B_AF33_FF25),
    ]

    static func matches(_ id: String, _ body: [UInt8]) -> Bool {
        guard let expected = all[id] else { return false }
        let digest = body.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return expected.count == body.count && expected.digest == digest
    }
}
