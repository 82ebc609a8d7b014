import SyncText
import TestSupport
import XCTest

final class SearchQuestionTests: XCTestCase {
    private func has(_ text: String, _ query: String, isTyping: Bool = false) -> Bool {
        SearchQuestion(query, isTyping: isTyping).match(text) != nil
    }

    private func found(_ text: String, _ query: String, isTyping: Bool = false) -> [String] {
        let match = SearchQuestion(query, isTyping: isTyping).match(text)
        let bytes = Array(text.utf8)
        return (match?.places ?? []).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    func testScripts() {
        for (text, query) in [
            ("明日の会議は3時です", "会議"), ("明日の会議は3時です", "会"), ("회의자료", "자료"), ("مَرْحَبًا", "مرحبا"),
            ("שָׁלוֹם", "שלום"), ("👍🏽👍", "👍"), ("❤️", "❤"), ("สวัสดีครับ", "สวัส"), ("重跑gen-itgc后", "itgc"),
            ("重跑gen-itgc后", "重跑gen"), ("Köln", "koln"), ("KÖLN", "köln"), ("नमस्ते दोस्त", "नमस्ते"),
            ("Straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σισυφος"), ("Ёлка", "елка"), ("ＡＢＣ", "abc"),
            ("smørrebrød", "smorrebrod"),
            ("İstanbul", "istanbul"), ("👨‍👩‍👧", "👩"), ("a\u{301}", "á"), ("\u{AC00}", "\u{1100}\u{1161}"),
            ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "한국"),
            ("ガギ", "カ\u{3099}キ\u{3099}"), ("ハ\u{309A}", "パ"),
            ("Ờ", "o"), ("ἄνθρωπος", "ανθρωποσ"),
        ] { XCTAssertTrue(has(text, query), "\(query) in \(text)") }
        for (text, query) in [
            ("syncmanager", "manager"), ("hello", "hel"), ("会 議", "会議"), ("議会", "会議"), ("नमक", "नमस्ते"),
            ("カ", "ガ"),
            ("", "a"), ("...", "a"),
        ] { XCTAssertFalse(has(text, query), "\(query) in \(text)") }
    }

    func testPhrasesAndPrefixes() {
        XCTAssertTrue(has("one two three", "three one"))
        XCTAssertFalse(has("one two three", "\"three one\""))
        XCTAssertTrue(has("one, two three", "\"one two\""))
        XCTAssertTrue(has("hello", "hel*"))
        XCTAssertTrue(has("hello", "hel", isTyping: true))
        XCTAssertFalse(has("hello", "hel ", isTyping: true))
        XCTAssertFalse(has("hello", "\"hel\"", isTyping: true))
        XCTAssertFalse(has("hello world", "hel wor", isTyping: true))
        XCTAssertTrue(has("hello world", "hel* wor", isTyping: true))
        XCTAssertTrue(has("a-b", "a-b"))
        XCTAssertFalse(has("b a", "a-b"))
        XCTAssertTrue(SearchQuestion("", isTyping: true).isEmpty)
        XCTAssertTrue(SearchQuestion(" \"\" - … ", isTyping: true).isEmpty)
        XCTAssertFalse(has("a", ""))
    }

    func testPlaces() {
        XCTAssertEqual(found("say Hello, hello world", "hello wor", isTyping: true), ["Hello", "hello", "wor" + "ld"])
        XCTAssertEqual(found("明日の会議", "日の"), ["日の"])
        XCTAssertEqual(found("cafe\u{301} x", "cafe"), ["cafe\u{301}"])
        XCTAssertEqual(found("👍🏽 ok", "👍"), ["👍🏽"])
        XCTAssertEqual(found("ab ab", "\"ab ab\" ab"), ["ab ab"])
    }

    func testWholeWordsAreBetter() throws {
        func score(_ text: String) throws -> Int {
            try XCTUnwrap(SearchQuestion("the", isTyping: true).match(text)).score
        }
        XCTAssertGreaterThan(try score("the"), try score("there"))
        XCTAssertGreaterThan(try score("the the"), try score("the there"))
        let many = String(repeating: "the ", count: 1000)
        XCTAssertEqual(try score(many), try score(many + "the"))
    }

    /// What a text is put into the index with holds all that is asked of the index for what the text has.
    func testTheIndexMissesNothing() {
        let alphabet = Array("aÄb ß会議の한국가ガナสวัสดी👍🏽❤\u{FE0F}-.\u{301}\u{3099}\u{1100}\u{1161}शब्द שָׁ مَر*")
            .map(String.init)
        let cutter = TermCutter()
        var random = SeededGenerator(seed: 7)
        var matches = 0
        for _ in 0..<20_000 {
            let text = (0..<random.below(14)).map { _ in alphabet[random.below(alphabet.count)] }.joined()
            let scalars = Array(text.unicodeScalars)
            var view = String.UnicodeScalarView()
            if !scalars.isEmpty {
                let start = random.below(scalars.count)
                view.append(contentsOf: scalars[start..<(start + 1 + random.below(scalars.count - start))])
            }
            let question = SearchQuestion(String(view), isTyping: random.below(2) == 0)
            guard question.match(text) != nil else { continue }
            matches += 1
            let indexed = cutter.terms(of: text)
            for term in question.terms {
                switch term {
                case .exact(let word): XCTAssertTrue(indexed.contains(word), "\(view) in \(text)")
                case .prefix(let start):
                    XCTAssertTrue(indexed.contains { $0.starts(with: start) }, "\(view) in \(text)")
                }
            }
        }
        XCTAssertGreaterThan(matches, 5000)
    }

    func testTextsOfOthersAreBounded() {
        let word = String(repeating: "a", count: 1_000_000)
        XCTAssertEqual(SearchUnits(word).units.first?.text.count, SearchUnits.longest)
        XCTAssertEqual(TermCutter().terms(of: word).map(\.count), [48])
        XCTAssertTrue(has(word, String(word.prefix(9000)), isTyping: true))
        XCTAssertFalse(has(word, String(word.prefix(9000)) + "b", isTyping: true))
        let queries = (0..<1000).map { "w\($0)" }.joined(separator: " ")
        XCTAssertEqual(SearchQuestion(queries, isTyping: true).phrases.count, SearchQuestion.mostPhrases)
    }

    /// The terms that are cut in one pass are those of the units, however a text is composed and repeats itself.
    func testTermsAreThoseOfTheUnits() {
        let letters = "aÄbZ ß09会議の한국가ガナｶﾞＡ！สวัสดี👍🏽❤-.शब्द שָׁ مَرْ*İæœþʼ"
        let parts = "\u{FE0F}\u{301}\u{3099}\u{309A}\u{1100}\u{1161}\u{11A8}\u{200D}\u{E000}"
        let scalars = Array((letters + parts).unicodeScalars)
        let cutter = TermCutter()
        var random = SeededGenerator(seed: 11)
        var pairs = 0
        for round in 0..<20_000 {
            var text = String.UnicodeScalarView()
            // Some repeat two or three scalars so often that terms are cut, and that the same ones come again.
            let few = round % 10 == 0 ? (0..<3).map { _ in scalars[random.below(scalars.count)] } : scalars
            for _ in 0..<random.below(round % 10 == 0 ? 200 : 20) { text.append(few[random.below(few.count)]) }
            let terms = plainTerms(String(text))
            XCTAssertEqual(cutter.terms(of: String(text)), terms, "\(text)")
            pairs += terms.count
        }
        XCTAssertGreaterThan(pairs, 50_000)
        for text in [(0..<9000).map { "\($0)" }.joined(separator: " "), String(repeating: "会議", count: 9000), "", "a"] {
            XCTAssertEqual(cutter.terms(of: text), plainTerms(text))
        }
    }

    private func plainTerms(_ text: String) -> [[UInt8]] {
        let units = SearchUnits(text).units
        var seen = Set<[UInt8]>()
        return units.indices.map { index in
            let next = index + 1 < units.count && units[index + 1].isJoined ? units[index + 1].text : []
            var term = units[index].text + next
            while term.count > 48 || String(validating: term, as: UTF8.self) == nil { term.removeLast() }
            return term
        }.filter { seen.insert($0).inserted }
    }
}

extension TermCutter {
    fileprivate func terms(of text: String) -> [[UInt8]] {
        var bytes: [UInt8] = []
        write(text, to: &bytes)
        return bytes.split(separator: UInt8(ascii: " ")).map(Array.init)
    }
}
