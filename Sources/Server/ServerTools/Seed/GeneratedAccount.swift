/// The people and channels of the generated account: what does not depend on the seed.
enum GeneratedAccount {
    /// The account's owner comes first.
    static let people = [
        ("mia", "Mia Lindqvist"), ("noah", "Noah Okafor"), ("priya", "Priya Raman"), ("jonas", "Jonas Weiß"),
        ("yuki", "佐藤 雪"),
        ("wei", "李伟"), ("minji", "김민지"), ("layla", "ليلى حداد"), ("david", "דוד כהן"), ("ivan", "Иван Петров"),
        ("zoe", "Zoé Lefèvre"),
        ("mateo", "Mateo Núñez"), ("aino", "Aino Mäkelä"), ("kofi", "Kofi Mensah"), ("anan", "อนันต์"),
        ("rosa", "Rosa Ferreira 🌸"),
        ("tom", "Tom"), ("tomek", "Tomasz Żak"), ("eleni", "Ελένη Παππά"), ("arjun", "अर्जुन शर्मा"),
        ("lena", "Lena Sommer"),
        ("omar", "Omar Said"), ("grace", "Grace O'Neill"), ("bot-build", "Build Bot 🤖"),
    ]

    enum Kind {
        /// Two people, no name.
        case direct
        case group
        case broadcast
        case open
    }

    struct Plan {
        let name: String
        let kind: Kind
        let size: Int
        let customType: String
    }

    /// Sizes before scaling. Very different on purpose: one that fills many pages, several of a few, some of one
    /// message and some of none.
    static let channels = [
        Plan(name: "Everybody", kind: .group, size: 2400, customType: "work"),
        Plan(name: "Build & Deploy", kind: .group, size: 900, customType: "work"),
        Plan(name: "", kind: .direct, size: 620, customType: ""),
        Plan(name: "Lunch 🍜", kind: .group, size: 420, customType: "fun"),
        Plan(name: "日本チーム", kind: .group, size: 300, customType: "work"),
        Plan(name: "", kind: .direct, size: 240, customType: ""),
        Plan(name: "Familie", kind: .group, size: 180, customType: "family"),
        Plan(name: "Announcements", kind: .broadcast, size: 64, customType: "news"),
        Plan(name: "مشروع الترجمة", kind: .group, size: 130, customType: "work"),
        Plan(name: "Book club", kind: .open, size: 101, customType: "fun"),
        Plan(name: "Support / Tier 2 + Escalations", kind: .group, size: 100, customType: "support"),
        Plan(name: "", kind: .direct, size: 99, customType: ""),
        Plan(name: "Climbing", kind: .group, size: 75, customType: "fun"),
        Plan(name: "Release 4.2", kind: .group, size: 60, customType: "work"),
        Plan(name: "", kind: .direct, size: 41, customType: ""),
        Plan(name: "Old project (frozen)", kind: .group, size: 40, customType: "work"),
        Plan(name: "Neighbours", kind: .group, size: 31, customType: "family"),
        Plan(name: "", kind: .direct, size: 30, customType: ""),
        Plan(name: "100% remote; tips & tricks", kind: .group, size: 29, customType: "fun"),
        Plan(name: "Hidden until news", kind: .group, size: 21, customType: ""),
        Plan(name: "Hidden for good", kind: .group, size: 20, customType: ""),
        Plan(name: "", kind: .direct, size: 20, customType: ""),
        Plan(name: "Design review", kind: .group, size: 19, customType: "work"),
        Plan(name: "Muted here", kind: .group, size: 15, customType: "work"),
        Plan(name: "", kind: .direct, size: 12, customType: ""),
        Plan(name: "Invitation pending", kind: .group, size: 10, customType: "work"),
        Plan(name: "Café ☕", kind: .group, size: 8, customType: "fun"),
        Plan(name: "Trip to Kraków", kind: .group, size: 6, customType: "family"),
        Plan(name: "", kind: .direct, size: 5, customType: ""),
        Plan(name: "Interview panel", kind: .group, size: 3, customType: "work"),
        Plan(name: "", kind: .direct, size: 2, customType: ""),
        Plan(name: "One message", kind: .group, size: 1, customType: ""),
        Plan(name: "", kind: .direct, size: 1, customType: ""),
        Plan(name: "Nothing yet", kind: .group, size: 0, customType: ""),
        Plan(name: "", kind: .direct, size: 0, customType: ""),
    ]
}
