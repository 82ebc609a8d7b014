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
            let indexed = SearchTerm.terms(of: SearchUnits(text).units)
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
        XCTAssertEqual(SearchTerm.terms(of: SearchUnits(word).units).first?.count, 48)
        XCTAssertTrue(has(word, String(word.prefix(9000)), isTyping: true))
        XCTAssertFalse(has(word, String(word.prefix(9000)) + "b", isTyping: true))
        let queries = (0..<1000).map { "w\($0)" }.joined(separator: " ")
        XCTAssertEqual(SearchQuestion(queries, isTyping: true).phrases.count, SearchQuestion.mostPhrases)
    }
}
