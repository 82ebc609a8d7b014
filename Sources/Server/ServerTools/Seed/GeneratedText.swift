import ServerBase
import SyncBytes

/// Texts as people write them, in many scripts, and some that only tests write.
struct GeneratedText {
    private static let english = [
        "ok", "sounds good", "on my way", "can you send me the file?", "I'll be there in ten minutes",
        "did anyone see the build?",
        "thanks!", "no idea, ask Priya", "lunch?", "that's exactly what I meant", "let me check and come back to you",
        "it works on my machine", "who is on call this week?", "brb",
        "I think we should ship it on Thursday, not Friday",
        "the meeting moved to 3 pm", "could you review my change when you have a minute?", "haha",
        "never mind, found it",
        "we still have 12 open tickets and two of them are from last year", "nice work everybody",
        "what's the plan for the weekend?",
        "I read it twice and I still don't get the second paragraph", "good morning", "see you tomorrow", "+1",
    ]
    private static let european = [
        "Schöne Grüße aus Köln, es regnet natürlich", "Können wir das morgen früh besprechen?",
        "Größer als erwartet – 3,5 GB",
        "¿Quedamos a las ocho? ¡Avísame!", "Mañana no puedo, lo siento", "C'est déjà fait, à tout à l'heure",
        "Où est passé le café ?",
        "Ça marche, j'arrive dès que possible", "Всё готово, смотри в почте", "Давайте завтра", "Ευχαριστώ πολύ!",
        "Dziękuję, zażółć gęślą jaźń",
        "Příliš žluťoučký kůň úpěl ďábelské ódy", "Tack så mycket, vi ses på måndag",
    ]
    private static let asian = [
        "了解しました、よろしくお願いします", "明日の会議は何時からですか？", "好的，我马上看一下", "这个周末有空吗？一起吃饭吧", "문서 확인했습니다. 감사합니다!", "회의실 어디예요?",
        "今日はありがとうございました🙇‍♀️", "没问题👌", "พรุ่งนี้เจอกันนะ", "ขอบคุณมากครับ",
        "धन्यवाद, कल मिलते हैं", "क्या आपने फ़ाइल देखी?", "नमस्ते दोस्तों",
    ]
    private static let rightToLeft = [
        "شكراً جزيلاً، نلتقي غداً", "هل وصل الملف؟", "صباح الخير يا جماعة", "הכול בסדר, תודה רבה", "מתי הפגישה?",
        "נתראה מחר בשעה 10:00",
        "لینک را فرستادم https://example.org/fa?x=1&y=2", "mixed English و عربي in one line 123",
    ]
    private static let emoji = [
        "👍", "😂😂😂", "🎉🎉", "❤️", "🙏", "👩‍💻 shipping it 🚀", "👨‍👩‍👧‍👦 family dinner tonight",
        "🏳️‍🌈", "🇩🇪🇯🇵🇧🇷", "👋🏽 hi", "🤷🏿‍♂️", "🫠", "1️⃣ 2️⃣ 3️⃣",
    ]
    private static let combining = [
        "Z\u{0351}\u{036B}\u{0343}a\u{0321}\u{033E}l\u{0342}\u{0300}g\u{0310}\u{0301}o\u{0308}\u{030A}",
        "cafe\u{0301} or café, that is the question",
        "A\u{030A}ngstro\u{0308}m", "n\u{0303}o\u{0302}", "ก็กู้", "ﷺ", "e\u{0301}\u{0323}",
    ]
    private static let awkward = [
        "she said \"no\" and left \\o/", "line one\nline two\n\n\tindented line", "</script><b>&amp;</b>",
        "C:\\temp\\new\\file.txt",
        "100% + 50% = 150%; a/b & c", "{\"json\": [1, 2, {\"nested\": null}]}", "tab\there, quote ' and `backticks`",
        "  leading and trailing spaces  ",
        "zero\u{200B}width\u{200D}joiners\u{FEFF}", "\u{202E}reversed\u{202C} and back",
        "https://example.com/a%2Fb?q=%E2%9C%93&r=1#frag", "…", "\u{2028}separator",
    ]

    static func text(_ random: inout SeededRandom) -> String {
        switch random.below(100) {
        case ..<52:
            var text = random.pick(english)
            for _ in 0..<random.below(4) { text += ". " + random.pick(english) }
            return text
        case ..<64: return random.pick(european)
        case ..<76: return random.pick(asian)
        case ..<82: return random.pick(rightToLeft)
        case ..<90: return random.pick(emoji)
        case ..<93: return random.pick(combining)
        case ..<97: return random.pick(awkward)
        default: return (0..<random.within(8...40)).map { _ in random.pick(english) }.joined(separator: ", ")
        }
    }

    /// A text of exactly five thousand characters.
    static func long(_ random: inout SeededRandom) -> String {
        var scalars: [Unicode.Scalar] = []
        while scalars.count < 5000 {
            scalars += Array(text(&random).unicodeScalars)
            scalars.append(" ")
        }
        var result = ""
        result.unicodeScalars.append(contentsOf: scalars[..<5000])
        return result
    }
}
