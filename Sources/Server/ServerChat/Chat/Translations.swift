import ServerBase
import SyncJSON

/// The translations of a text. The server knows no language: a translation that the client does not give is an echo of
/// the text, marked with the language.
public enum Translations {
    public static func echo(_ text: String, _ language: String) -> JSON { .string("[\(language)] \(text)") }

    /// The translations that fields ask for: into the languages of `target_langs`, and those of `translations`, some of
    /// which clients give without a text. `known` are the languages that the text has already.
    public static func make(_ fields: Fields, of text: String, known: [String] = []) throws -> JSON {
        let result = JSON.object()
        for language in known { result.set(language, echo(text, language)) }
        for language in try fields.strings("target_langs") ?? [] { result.set(language, echo(text, language)) }
        for (language, given) in try fields.object("translations")?.json.members ?? [] {
            guard let words = given.string else { throw Refusal.notString("translations") }
            result.set(language, words.isEmpty ? echo(text, language) : given)
        }
        return result
    }
}
