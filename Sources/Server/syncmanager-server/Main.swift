import Glibc
import SyncServer

@main
enum Main {
    static func main() {
        exit(ServerProgram.run(CommandLine.argc, CommandLine.unsafeArgv))
    }
}
