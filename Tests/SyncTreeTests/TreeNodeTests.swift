import SyncTree
import TestSupport
import XCTest

final class TreeNodeTests: XCTestCase {
    private func node(_ json: String, existing: TreeNode = .empty) throws -> TreeNode {
        try TreeReader.value(Array(json.utf8), time: 1000, existing: existing)
    }

    private func text(_ node: TreeNode, _ format: TreeNode.Format = .plain) -> String {
        String(decoding: node.json(format), as: UTF8.self)
    }

    // MARK: Reading and writing

    func testEmptyThingsVanish() throws {
        for json in ["null", "{}", "[]", #"{"a":{"b":null}}"#, "[null,{}]", #"{".value":null,".priority":1}"#] {
            XCTAssertEqual(try node(json), .empty, json)
        }
        XCTAssertEqual(text(try node(#"{"a":{"b":{}},"c":1}"#)), #"{"c":1}"#)
    }

    func testChildrenComeInTheOrderOfTheirKeysAndTheLastOfTwoCounts() throws {
        let read = try node(#"{"b":1,"10":2,"a":3,"9":4,"b":5}"#)
        XCTAssertEqual(text(read), #"{"9":4,"10":2,"a":3,"b":5}"#)
    }

    func testArrays() throws {
        // Fewer than half of the places are empty: an array, with null in those.
        for json in ["[1,2,3]", "[null,1,2]", #"[null,null,1,[true]]"#] { XCTAssertEqual(text(try node(json)), json) }
        XCTAssertEqual(text(try node(#"{"0":"a","1":"b"}"#)), #"["a","b"]"#)
        XCTAssertEqual(text(try node("[null,null,1]")), #"{"2":1}"#)
        for json in [#"{"0":1,"a":2}"#, #"{"01":1}"#, #"{"-1":1}"#, #"{"2":1}"#] {
            XCTAssertEqual(text(try node(json)), json)
        }
        XCTAssertEqual(text(try node("[1,2]"), .export), #"{"0":1,"1":2}"#)
    }

    func testNumbers() throws {
        XCTAssertEqual(
            text(try node("[1.0,-0.5,1e3,9007199254740993,1e300,123456789012345678901,-0]")),
            "[1,-0.5,1000,9007199254740993,1e+300,1.2345678901234568e+20,0]")
        XCTAssertEqual(try node("5.0"), try node("5"))
        XCTAssertThrowsError(try node("1e999")) { XCTAssertEqual($0 as? TreeError, TreeError(.number)) }
    }

    func testPriorities() throws {
        let json = #"{"a":{".value":1,".priority":2},"b":{".priority":"x","c":true}}"#
        let read = try node(json)
        XCTAssertEqual(text(read), #"{"a":1,"b":{"c":true}}"#)
        XCTAssertEqual(text(read, .export), json)
        XCTAssertEqual(try node(text(read, .export)), read)
        XCTAssertNotEqual(read, try node(text(read)))
    }

    func testTextsThatLookAlikeAreTwoKeys() throws {
        let read = try node("{\"\u{E9}\":1,\"e\u{301}\":2}")
        XCTAssertEqual(read.children.count, 2)
        XCTAssertNotEqual(try node("\"\u{E9}\""), try node("\"e\u{301}\""))
    }

    func testWhatIsNoValue() throws {
        let wrong: [(String, TreeError.Reason)] = [
            ("", .syntax), ("{", .syntax), ("nul", .syntax), ("1 2", .syntax), (#""\ud800""#, .syntax),
            (#"{"a":1,"b.c":2}"#, .key(line: 1, column: 8)), ("{\"a\":1,\n \"\":2}", .key(line: 2, column: 2)),
            (#"{"a/b":1}"#, .key(line: 1, column: 2)), (#"{"\u0007":1}"#, .key(line: 1, column: 2)),
            (#"{"."#, .syntax), (#"{".other":1}"#, .key(line: 1, column: 2)),
            (#"{".value":1,"a":2}"#, .special("\".value\" does not go with children")),
            (#"{".value":{"a":1}}"#, .special("\".value\" takes a value without children")),
            (#"{".priority":true,"a":1}"#, .special("\".priority\" is a number or a string")),
            (#"{".sv":"now"}"#, .special("\".sv\" is \"timestamp\" or {\"increment\": number}")),
            (#"{".sv":{"increment":"1"}}"#, .special("\".sv\" is \"timestamp\" or {\"increment\": number}")),
            (#"{".sv":"timestamp","a":1}"#, .special("\".sv\" stands alone")),
        ]
        for (json, reason) in wrong {
            XCTAssertThrowsError(try node(json), json) { XCTAssertEqual($0 as? TreeError, TreeError(reason), json) }
        }
        XCTAssertThrowsError(try node("{\"" + String(repeating: "k", count: 769) + "\":1}"))
        XCTAssertNoThrow(try node("{\"" + String(repeating: "k", count: 768) + "\":1}"))
    }

    func testDepthIsThatOfTheWholeTree() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        }
        XCTAssertNoThrow(try node(nested(32)))
        XCTAssertThrowsError(try node(nested(33))) { XCTAssertEqual($0 as? TreeError, TreeError(.depth)) }
        let path = try TreePath("x/y")
        // A key may begin with what joins a slash to one character.
        XCTAssertEqual(try TreePath("/a/\u{301}b").keys.map(\.text), ["a", "\u{301}b"])
        XCTAssertNoThrow(try TreeReader.value(Array(nested(30).utf8), at: path, time: 0))
        XCTAssertThrowsError(try TreeReader.value(Array(nested(31).utf8), at: path, time: 0))
        let deep = String(repeating: "[", count: 100_000)
        XCTAssertThrowsError(try node(deep)) { XCTAssertEqual($0 as? TreeError, TreeError(.depth)) }
        XCTAssertThrowsError(try TreePath(String(repeating: "a/", count: 33)))
    }

    func testServerValues() throws {
        let before = try node(#"{"n":5,"f":0.5,"s":"x","big":9223372036854775807}"#)
        let written = try node(
            #"""
            {"t":{".sv":"timestamp"},"n":{".sv":{"increment":2}},"f":{".sv":{"increment":1}},
            "s":{".sv":{"increment":3}},"new":{".sv":{"increment":-1.5}},"big":{".sv":{"increment":1}},
            "p":{".value":1,".priority":{".sv":"timestamp"}},"deep":{"t":{".sv":"timestamp"}}}
            """#, existing: before)
        XCTAssertEqual(
            text(written, .export),
            #"{"big":9.223372036854776e+18,"deep":{"t":1000},"f":1.5,"n":7,"new":-1.5,"#
                + #""p":{".value":1,".priority":1000},"s":3,"t":1000}"#)
    }

    // MARK: Places

    func testValuesArePutAndTaken() throws {
        var root = TreeNode.empty
        root.set(try TreePath("a/b/c"), try node("1"))
        root.set(try TreePath("/a/d/"), try node("[true]"))
        XCTAssertEqual(text(root), #"{"a":{"b":{"c":1},"d":[true]}}"#)
        let kept = root
        root.set(try TreePath("a/b/c"), .empty)
        XCTAssertEqual(text(root), #"{"a":{"d":[true]}}"#)
        XCTAssertEqual(text(kept[try TreePath("a/b")]), #"{"c":1}"#)
        // A leaf becomes a parent, and stays a leaf when nothing is put below it.
        root.set(try TreePath("a/d/0/x"), .empty)
        XCTAssertEqual(text(root), #"{"a":{"d":[true]}}"#)
        root.set(try TreePath("a/d/0/x"), try node("2"))
        XCTAssertEqual(text(root), #"{"a":{"d":[{"x":2}]}}"#)
        root.set(try TreePath("a/d/0/x"), .empty)
        XCTAssertEqual(root, .empty)
        XCTAssertEqual(root[try TreePath("no/where")], .empty)
    }

    func testPriorityGoesWithItsNode() throws {
        var root = try node(#"{"a":{".priority":1,"x":1}}"#)
        root.set(try TreePath("a/y"), try node("2"))
        XCTAssertEqual(text(root, .export), #"{"a":{".priority":1,"x":1,"y":2}}"#)
        root.set(try TreePath("a/x"), .empty)
        root.set(try TreePath("a/y"), .empty)
        XCTAssertEqual(root, .empty)
    }

    func testPaths() throws {
        for text in ["a.b", "a/$x", "a/[0]", "a/#", "a\u{1}"] {
            XCTAssertThrowsError(try TreePath(text)) { XCTAssertEqual($0 as? TreeError, TreeError(.path)) }
        }
        let path = try TreePath("a/b")
        XCTAssertTrue(try path.contains(path) && path.contains(try TreePath("a/b/c")) && TreePath().contains(path))
        XCTAssertFalse(try path.contains(try TreePath("a/bc")) || path.contains(try TreePath("a")))
        XCTAssertEqual(path.relative(try TreePath("a/b/c/d")).text, "/c/d")
        XCTAssertEqual(TreePath().text, "/")
    }

    func testUpdatesNamePaths() throws {
        func update(_ json: String) throws -> [TreeWrite] {
            try TreeReader.update(Array(json.utf8), time: 7, existing: try node(#"{"a":{"n":1}}"#))
        }
        let writes = try update(#"{"a/n":{".sv":{"increment":1}},"/b/c/":{".sv":"timestamp"},"d":null}"#)
        XCTAssertEqual(writes.map(\.path.text), ["/a/n", "/b/c", "/d"])
        XCTAssertEqual(writes.map { text($0.node) }, ["2", "7", "null"])
        XCTAssertEqual(try update("{}"), [])
        for wrong in ["[]", "1", "null", #"{"a":1,"a/b":2}"#, #"{"a":1,"/a":2}"#, #"{"":1}"#, #"{"a.b":1}"#, "{} x"] {
            XCTAssertThrowsError(try update(wrong), wrong)
        }
        // A sibling whose name begins alike is none of its children.
        XCTAssertEqual(try update(#"{"a":1,"a-b":2,"ab/c":3}"#).count, 3)
    }

    // MARK: Chance

    /// Random trees under random writes against a plain dictionary from paths to leaves.
    func testRandomWritesAgreeWithAFlatModel() throws {
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            var root = TreeNode.empty
            var model: [String: Int] = [:]
            for step in 0..<120 {
                let depth = Int.random(in: 1...4, using: &random)
                let path = (0..<depth).map { _ in ["a", "b", "1", "2"].randomElement(using: &random) ?? "a" }
                let name = path.joined(separator: "/")
                // What stood at the path, below it, or as a leaf above it, gives way.
                let deletes = Bool.random(using: &random)
                let above = (1..<depth).map { path.prefix($0).joined(separator: "/") }
                if !deletes { for place in above { model[place] = nil } }
                for key in model.keys where key == name || key.hasPrefix(name + "/") { model[key] = nil }
                if !deletes { model[name] = step }
                root.set(try TreePath(name), deletes ? .empty : TreeNode(.integer(Int64(step))))
                XCTAssertEqual(leaves(root), model, "seed \(seed), step \(step)")
            }
            XCTAssertEqual(try node(text(root)), root, "seed \(seed)")
            XCTAssertEqual(try node(text(root, .export)), root, "seed \(seed)")
        }
    }

    private func leaves(_ node: TreeNode, _ path: String = "") -> [String: Int] {
        if case .integer(let value)? = node.leaf { return [path: Int(value)] }
        return node.children.reduce(into: [:]) { all, child in
            let name = path.isEmpty ? child.key.text : path + "/" + child.key.text
            all.merge(leaves(child.node, name)) { first, _ in first }
        }
    }

    /// Bytes of all kinds are read or refused; nothing traps.
    func testRandomBytesNeverTrap() throws {
        let seeds = [
            #"{"a":{".sv":{"increment":1}},"b":[1,null,{".value":"x",".priority":2}]}"#, #"{"a/b":1,"c":true}"#,
        ]
        for seed in UInt64(1)...3000 {
            var random = SeededGenerator(seed: seed)
            var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(Array("{}[]\",:.$/0e-\\".utf8).randomElement(using: &random) ?? 0, at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            if let read = try? TreeReader.value(bytes, time: 1) {
                XCTAssertEqual(try TreeReader.value(read.json(.export), time: 1), read, "seed \(seed)")
            }
            _ = try? TreeReader.update(bytes, time: 1)
        }
    }
}
