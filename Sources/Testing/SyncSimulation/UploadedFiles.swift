import SyncModel

/// The files of a device that are sent to the service.
public protocol UploadedFiles: AnyObject {
    /// The file of a form as it is now; throws what is wrong with it.
    func bytes(for form: TransportForm) throws(FileProblem) -> [UInt8]
    /// What the service has answered to an upload, whoever hears it.
    func took(_ form: TransportForm, status: Int, _ body: [UInt8])
}

extension TransportForm {
    /// The body that libcurl makes of the form, with the content of its file, and its type.
    func multipart(with bytes: [UInt8]) -> (body: [UInt8], type: String) {
        let boundary = "simulated-boundary"
        var body: [UInt8] = []
        for field in fields {
            let head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field.name)\"\r\n\r\n"
            body += Array((head + field.value + "\r\n").utf8)
        }
        body += Array(
            ("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part)\"; filename=\"\(fileName)\"\r\n"
                + "Content-Type: \(type)\r\n\r\n").utf8)
        body += bytes + Array("\r\n--\(boundary)--\r\n".utf8)
        return (body, "multipart/form-data; boundary=\(boundary)")
    }
}
