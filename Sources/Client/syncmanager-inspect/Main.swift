import Glibc
import SyncInspect

@main
enum Main {
    static func main() {
        exit(InspectProgram.run(CommandLine.argc, CommandLine.unsafeArgv))
    }
}
