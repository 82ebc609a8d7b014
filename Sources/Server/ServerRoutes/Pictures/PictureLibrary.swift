import Glibc

/// libgd: those of its functions by which smaller pictures are made.
///
/// It is loaded and not linked, so a server without it only makes no thumbnails. It is used by one thread at a time, on
/// copies of its own.
struct PictureLibrary: @unchecked Sendable {
    /// The most pixels of a picture. It is unpacked as a whole: four bytes for each, and as much again while a JPEG is
    /// read.
    private static let mostPixels = 16_000_000
    /// The most bytes of a file that is read as a picture.
    static let mostBytes: Int64 = 20 << 20
    /// The most scans of a JPEG: each costs a pass over all points. A JPEG that loads step by step has about ten.
    private static let mostScans = 40
    private static let quality: Int32 = 85

    private typealias Image = OpaquePointer
    private typealias Reader = @convention(c) (Int32, UnsafeMutableRawPointer?) -> Image?

    private let readPNG: Reader
    private let readJPEG: Reader
    private let create: @convention(c) (Int32, Int32) -> Image?
    private let setBlending: @convention(c) (Image?, Int32) -> Void
    private let setAlpha: @convention(c) (Image?, Int32) -> Void
    private let resample: @convention(c) (
        Image?, Image?, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32
    ) -> Void
    private let writePNG: @convention(c) (Image?, UnsafeMutablePointer<Int32>?) -> UnsafeMutableRawPointer?
    private let writeJPEG: @convention(c) (Image?, UnsafeMutablePointer<Int32>?, Int32) -> UnsafeMutableRawPointer?
    private let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let destroy: @convention(c) (Image?) -> Void

    /// `nil` when this machine has none.
    static let shared = PictureLibrary()

    private init?() {
        guard let library = dlopen("libgd.so.3", RTLD_NOW | RTLD_LOCAL) else { return nil }
        let names = [
            "gdImageCreateFromPngPtr", "gdImageCreateFromJpegPtr", "gdImageCreateTrueColor", "gdImageAlphaBlending",
            "gdImageSaveAlpha", "gdImageCopyResampled", "gdImagePngPtr", "gdImageJpegPtr", "gdFree", "gdImageDestroy",
        ]
        let found = names.compactMap { dlsym(library, $0) }
        guard found.count == names.count else {
            dlclose(library)
            return nil
        }
        func function<T>(_ index: Int, as type: T.Type) -> T { unsafeBitCast(found[index], to: type) }
        readPNG = function(0, as: Reader.self)
        readJPEG = function(1, as: Reader.self)
        create = function(2, as: (@convention(c) (Int32, Int32) -> Image?).self)
        setBlending = function(3, as: (@convention(c) (Image?, Int32) -> Void).self)
        setAlpha = function(4, as: (@convention(c) (Image?, Int32) -> Void).self)
        resample = function(5, as: (
            @convention(c) (Image?, Image?, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32) -> Void).self)
        writePNG = function(6, as: (
            @convention(c) (Image?, UnsafeMutablePointer<Int32>?) -> UnsafeMutableRawPointer?).self)
        writeJPEG = function(7, as: (
            @convention(c) (Image?, UnsafeMutablePointer<Int32>?, Int32) -> UnsafeMutableRawPointer?).self)
        free = function(8, as: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        destroy = function(9, as: (@convention(c) (Image?) -> Void).self)
    }

    struct Thumbnail {
        let asked: ThumbnailSize
        let width: Int
        let height: Int
        let bytes: [UInt8]
    }

    /// One thumbnail for each size; none when the picture is damaged, or would take more work than is allowed.
    func thumbnails(of bytes: [UInt8], _ picture: Picture, _ sizes: [ThumbnailSize]) -> [Thumbnail] {
        let (pixels, isTooLarge) = picture.width.multipliedReportingOverflow(by: picture.height)
        guard !isTooLarge, pixels <= PictureLibrary.mostPixels, let count = Int32(exactly: bytes.count) else {
            return []
        }
        let most = PictureLibrary.mostScans
        if picture.kind == .jpeg, Picture.scans(ofJPEG: bytes, limit: most + 1) > most { return [] }
        var bytes = bytes
        let read = picture.kind == .png ? readPNG : readJPEG
        guard let source = bytes.withUnsafeMutableBytes({ read(count, $0.baseAddress) }) else { return [] }
        defer { destroy(source) }
        return sizes.compactMap { size in
            let (width, height) = picture.fitted(into: size)
            return thumbnail(of: source, picture, Int32(width), Int32(height)).map {
                Thumbnail(asked: size, width: width, height: height, bytes: $0)
            }
        }
    }

    private func thumbnail(of source: Image, _ picture: Picture, _ width: Int32, _ height: Int32) -> [UInt8]? {
        guard let target = create(width, height) else { return nil }
        defer { destroy(target) }
        if picture.kind == .png {
            // Transparent pixels stay transparent.
            setBlending(target, 0)
            setAlpha(target, 1)
        }
        resample(target, source, 0, 0, 0, 0, width, height, Int32(picture.width), Int32(picture.height))
        var count: Int32 = 0
        let written = picture.kind == .png
            ? writePNG(target, &count) : writeJPEG(target, &count, PictureLibrary.quality)
        guard let written else { return nil }
        defer { free(written) }
        return Array(UnsafeRawBufferPointer(start: written, count: Int(max(0, count))))
    }
}
