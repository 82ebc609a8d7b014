import CLinux
import Glibc

/// What the command line asks for; its usage text says what each option means.
struct InspectOptions {
    var directory = ""
    var isHTML = false
    var showsTexts = false
    /// Lines of JSON instead of a report.
    var isExport = false
    /// The channel to export; `nil`: all.
    var channel: String?
    /// How many channels are shown.
    var channels = 50
    /// MiB, as the configuration of the client has it; the files do not say it.
    var maxCacheMB: Int64?
    /// The path of a file with the key of the files.
    var keyFile: String?

    static let usage = """
        Usage: syncmanager-inspect [options] DIR
        Shows what a client has cached in DIR, its data_dir or the folder of one user in it.
          --html                one HTML page instead of text
          --texts               also what is in messages, drafts and writes (default: no word of them)
          --export              what is cached as lines of JSON, messages with their texts, and no report
          --channel URL         export this channel only
          --channels N          show the N channels with the latest messages (1 … 10000, default 50)
          --max-cache-mb N      the client's bound of the cache, to compare with (1 … 1048576)
          --key-file FILE       of encrypted files: its first line is the key, 64 hexadecimal digits, or the passphrase
          --help                this text

        """

    enum Outcome {
        case options(InspectOptions)
        case help
        case wrong(String)
    }

    private enum Name: Int32, CaseIterable {
        case html = 1
        case texts, export, channel, channels, maxCacheMB, keyFile, help

        var text: StaticString {
            switch self {
            case .html: "html"
            case .texts: "texts"
            case .export: "export"
            case .channel: "channel"
            case .channels: "channels"
            case .maxCacheMB: "max-cache-mb"
            case .keyFile: "key-file"
            case .help: "help"
            }
        }

        var takesValue: Bool { [.channel, .channels, .maxCacheMB, .keyFile].contains(self) }
    }

    static func parse(_ count: Int32, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Outcome {
        var options = InspectOptions()
        var table = Name.allCases.map { name in
            option(
                name: UnsafeRawPointer(name.text.utf8Start).assumingMemoryBound(to: CChar.self),
                has_arg: name.takesValue ? 1 : 0, flag: nil, val: name.rawValue)
        }
        table.append(option())
        while true {
            let found = getopt_long(count, words, "", table, nil)
            if found == -1 { break }
            // getopt_long has said on stderr what is wrong.
            guard let name = Name(rawValue: found) else { return .wrong("") }
            let value = shim_option_argument().map { String(cString: $0) } ?? ""
            if name == .help { return .help }
            guard options.take(name, value) else { return .wrong("--\(name.text): \"\(value)\" is no valid value\n") }
        }
        let index = shim_option_index()
        guard index == count - 1, let word = words[Int(index)], word.pointee != 0 else {
            return .wrong("one directory, please\n")
        }
        guard options.channel == nil || options.isExport else { return .wrong("--channel goes with --export\n") }
        guard !options.isExport || !options.isHTML else { return .wrong("--export and --html exclude each other\n") }
        options.directory = String(cString: word)
        return .options(options)
    }

    private mutating func take(_ name: Name, _ value: String) -> Bool {
        switch name {
        case .html: isHTML = true
        case .texts: showsTexts = true
        case .export: isExport = true
        case .channel:
            guard !value.isEmpty else { return false }
            channel = value
        case .channels:
            guard let number = Int(value), (1...10_000).contains(number) else { return false }
            channels = number
        case .maxCacheMB:
            guard let number = Int64(value), (1...1_048_576).contains(number) else { return false }
            maxCacheMB = number
        case .keyFile:
            guard !value.isEmpty else { return false }
            keyFile = value
        case .help: break
        }
        return true
    }
}
