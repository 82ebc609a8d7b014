import SyncModel
import SyncStore

/// Calls of the host that encrypt its files, or change their key. Everything else waits while the files are rewritten.
enum EncryptionCalls {
    static func take(_ action: ActionCall, isFirst: Bool, _ call: CallID, _ turn: inout Turn) {
        func refuse(_ explanation: String) {
            ServiceActions.done(action, call, .invalidArgument, explanation: explanation, &turn)
        }
        switch turn.storage.encryption {
        case .inMemory: return refuse("the cache is in memory: there is no file to encrypt")
        case .plain where !isFirst: return refuse("the files are not encrypted: call encrypt")
        case .encrypted where isFirst: return refuse("the files are encrypted already: call rekey")
        case .plain, .encrypted: break
        }
        let texts = (digits: action.text("encryption_key"), passphrase: action.text("encryption_passphrase"))
        let key: HostKey?
        switch texts {
        case (let digits?, nil): key = HostKey(digits: digits)
        case (nil, let passphrase?): key = HostKey(passphrase: passphrase)
        default: return refuse("one of encryption_key and encryption_passphrase is needed")
        }
        // The explanation must not show the key.
        guard let key else {
            return refuse(texts.digits == nil ? "encryption_passphrase is empty"
                : "encryption_key: expected 64 hexadecimal digits")
        }
        let failure = turn.storage.encrypting { (cache, intents) throws(StoreError) in
            if isFirst {
                try StoreEncryption.encrypt(key, cache: cache, intents: intents)
            } else {
                let isFull = action.flag("full") ?? false
                try StoreEncryption.change(to: key, isFull: isFull, cache: cache, intents: intents)
            }
        }
        ServiceActions.done(action, call, failure?.status ?? .ok, explanation: failure?.message, &turn)
    }
}
