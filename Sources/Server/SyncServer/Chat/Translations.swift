import ServerBase
import ServerHTTP
import SyncJSON

/// The translations of a text. Nothing here knows a language: what a client does not bring itself is an echo of the
/// text, marked with the language.
enum Translations {
    static func echo(_ text: String, _ language: String) -> JSON { .string("[\(language)] \(text)") }

    /// What a payload asks for: the languages of `target_langs`, and those of `translations`, of which clients name
    /// some without a text. `known` are the languages there are already.
    static func make(_ payload: Payload, of text: String, known: [String] = []) throws -> JSON {
        let result = JSON.object()
        for language in known { result.set(language, echo(text, language)) }
        for language in try payload.strings("target_langs") ?? [] { result.set(language, echo(text, language)) }
        for (language, given) in try payload.object("translations")?.json.members ?? [] {
            guard let words = given.string else { throw Refusal.notString("translations") }
            result.set(language, words.isEmpty ? echo(text, language) : given)
        }
        return result
    }
}
