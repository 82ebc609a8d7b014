//! A view of JSON text that is parsed when it is read.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A JSON value as the library told it. It is parsed when it is read, so cloning it or passing it on costs no parsing.
///
/// The service's objects have more fields than [`Channel`](crate::Channel) and [`Message`](crate::Message) name; all of
/// them are here. A member that is missing, or has another type, is `None`.
///
/// With the feature `serde`, `to` reads it into a type of the program. Since 0.1.
#[derive(Clone)]
pub struct Json {
    text: Arc<str>,
    start: usize,
    end: usize,
}

impl Json {
    /// The text is the library's, hence well-formed; of another text the parts that cannot be read are missing.
    pub(crate) fn new(text: &str) -> Json {
        let start = skip_space(text.as_bytes(), 0);
        let end = text.trim_end().len().max(start);
        Json { text: Arc::from(text), start, end }
    }

    fn part(&self, start: usize, end: usize) -> Json {
        Json { text: self.text.clone(), start, end }
    }

    /// A copy that does not keep the text around it in memory.
    pub(crate) fn detached(&self) -> Json {
        Json::new(self.as_text())
    }

    fn bytes(&self) -> &[u8] {
        self.as_text().as_bytes()
    }

    /// The JSON text of this value, as it came.
    pub fn as_text(&self) -> &str {
        self.text.get(self.start..self.end).unwrap_or("null")
    }

    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<Json> {
        self.member_ranges()
            .find(|&((start, end), _)| {
                self.text.get(start..end).and_then(decode).map_or(false, |name| name.as_ref() == key)
            })
            .map(|(_, (start, end))| self.part(start, end))
    }

    /// The text of a string, its escapes resolved.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        decode(self.as_text())
    }

    /// A whole number that fits 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_text().parse().ok()
    }

    /// A whole number that is not negative and fits 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_text().parse().ok()
    }

    /// A number.
    pub fn as_f64(&self) -> Option<f64> {
        let is_number = self.bytes().first().map_or(false, |byte| *byte == b'-' || byte.is_ascii_digit());
        if is_number {
            self.as_text().parse().ok()
        } else {
            None
        }
    }

    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_text() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.as_text() == "null"
    }

    /// The elements of a list; none for any other value.
    pub fn elements(&self) -> impl Iterator<Item = Json> + '_ {
        let mut reader = Parts::new(self, b'[');
        std::iter::from_fn(move || {
            let (start, end) = reader.value()?;
            Some(self.part(start, end))
        })
    }

    /// The members of an object, in the order of the text; none for any other value.
    pub fn members(&self) -> impl Iterator<Item = (String, Json)> + '_ {
        self.member_ranges().filter_map(move |((key_start, key_end), (start, end))| {
            let key = self.text.get(key_start..key_end).and_then(decode)?;
            Some((key.into_owned(), self.part(start, end)))
        })
    }

    fn member_ranges(&self) -> impl Iterator<Item = ((usize, usize), (usize, usize))> + '_ {
        let mut reader = Parts::new(self, b'{');
        std::iter::from_fn(move || {
            let key = reader.value()?;
            Some((key, reader.value()?))
        })
    }

    /// An index of the members, for objects of which several are asked for: the text is walked over once.
    pub(crate) fn fields(&self) -> Fields {
        let ranges = self.member_ranges();
        let named = ranges.filter_map(|((start, end), value)| Some((decode(self.text.get(start..end)?)?, value)));
        Fields(named.map(|(name, (start, end))| (name.into_owned(), self.part(start, end))).collect())
    }

    // What the crate itself reads from events.

    pub(crate) fn text_at(&self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(Cow::into_owned)
    }

    pub(crate) fn u64_at(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    pub(crate) fn i64_at(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    pub(crate) fn bool_at(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }
}

/// The members of an object, found at once.
pub(crate) struct Fields(Vec<(String, Json)>);

impl Fields {
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn text_at(&self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(Cow::into_owned)
    }

    pub(crate) fn u64_at(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    pub(crate) fn i64_at(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    pub(crate) fn bool_at(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }
}

/// Prints the JSON text.
impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_text())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_text())
    }
}

/// Compares the texts, so that two spellings of one value differ.
impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.as_text() == other.as_text()
    }
}

/// Walks over the parts of a list or an object without reading what is in them.
struct Parts<'a> {
    bytes: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> Parts<'a> {
    fn new(json: &'a Json, opening: u8) -> Parts<'a> {
        let bytes = json.text.as_bytes();
        let is_such = bytes.get(json.start) == Some(&opening);
        Parts { bytes, position: if is_such { json.start + 1 } else { json.end }, end: json.end }
    }

    /// Where the next value begins and ends; a member's key counts as a value.
    fn value(&mut self) -> Option<(usize, usize)> {
        let start = skip_space(self.bytes, self.position);
        if start >= self.end || matches!(self.bytes.get(start), None | Some(b']' | b'}')) {
            return None;
        }
        let end = skip_value(self.bytes, start)?;
        let after = skip_space(self.bytes, end);
        self.position = if matches!(self.bytes.get(after), Some(b',' | b':')) { after + 1 } else { after };
        Some((start, end))
    }
}

fn skip_space(bytes: &[u8], mut position: usize) -> usize {
    while matches!(bytes.get(position), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        position += 1;
    }
    position
}

fn skip_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut position = start + 1;
    loop {
        match bytes.get(position)? {
            b'"' => return Some(position + 1),
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
}

/// Where the value that begins at `start` ends. Depth is counted without recursion, so no text exhausts the stack.
fn skip_value(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut position = start;
    loop {
        match bytes.get(position)? {
            b'"' => position = skip_string(bytes, position)?,
            b'{' | b'[' => {
                depth += 1;
                position += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                position += 1;
            }
            _ if depth > 0 => position += 1,
            _ => {
                while !matches!(
                    bytes.get(position),
                    None | Some(b',' | b'}' | b']' | b':' | b' ' | b'\n' | b'\r' | b'\t')
                ) {
                    position += 1;
                }
                return Some(position);
            }
        }
        if depth == 0 {
            return Some(position);
        }
    }
}

/// The text of a JSON string, its quotes included in `raw`.
fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match rest.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'u' => text.push(decode_unicode(&mut rest)?),
            other => text.push(other),
        }
    }
    Some(Cow::Owned(text))
}

/// The character of `\uXXXX`, of two of them for a surrogate pair; half a pair is U+FFFD.
fn decode_unicode(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let high = four_digits(rest)?;
    if (0xd800..0xdc00).contains(&high) {
        let mut ahead = rest.clone();
        if ahead.next() == Some('\\') && ahead.next() == Some('u') {
            if let Some(low) = four_digits(&mut ahead).filter(|low| (0xdc00..0xe000).contains(low)) {
                *rest = ahead;
                return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
        }
    }
    Some(char::from_u32(high).unwrap_or('\u{fffd}'))
}

fn four_digits(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |number, _| Some(number * 16 + rest.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_read() {
        let json = Json::new(
            r#" {"a": [1, -2.5, "x\n\u00e9\ud83d\ude00", true, null, {"b": []}], "c\u0064": 9007199254740993} "#,
        );
        let elements: Vec<Json> = json.get("a").map(|list| list.elements().collect()).unwrap_or_default();
        assert_eq!(elements.len(), 6);
        assert_eq!(elements[0].as_i64(), Some(1));
        assert_eq!(elements[1].as_f64(), Some(-2.5));
        assert_eq!(elements[1].as_i64(), None);
        assert_eq!(elements[2].as_str().as_deref(), Some("x\né😀"));
        assert_eq!(elements[3].as_bool(), Some(true));
        assert!(elements[4].is_null());
        assert_eq!(elements[5].get("b").map(|list| list.elements().count()), Some(0));
        assert_eq!(json.i64_at("cd"), Some(9007199254740993));
        assert_eq!(json.members().map(|(key, _)| key).collect::<Vec<_>>(), ["a", "cd"]);
        assert_eq!(json.get("missing"), None);
    }

    #[test]
    fn brackets_and_quotes_inside_of_texts_are_text() {
        let json = Json::new(r#"{"a":"}],\"{[","b":2}"#);
        assert_eq!(json.text_at("a").as_deref(), Some("}],\"{["));
        assert_eq!(json.i64_at("b"), Some(2));
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        assert_eq!(Json::new(r#""\ud83dx""#).as_str().as_deref(), Some("\u{fffd}x"));
        assert_eq!(Json::new(r#""\ud83d\u0041""#).as_str().as_deref(), Some("\u{fffd}A"));
    }

    /// Every prefix of a document, and nonsense, gives parts or none; nothing panics or runs for ever.
    #[test]
    fn damaged_text_is_survived() {
        let whole = r#"{"a":[1,{"b":"é\u12"}],"c":"x","d":[[[]]]}"#;
        let mut texts: Vec<String> =
            (0..whole.len()).filter_map(|length| whole.get(..length)).map(String::from).collect();
        texts.extend(["", "]", "}{", "[,]", "{:}", "\"", "\"\\", "{\"a\"", "[1 2]"].map(String::from));
        for text in texts {
            let json = Json::new(&text);
            let _ = (json.elements().count(), json.members().count(), json.get("a"), json.as_str(), json.as_f64());
        }
    }

    #[test]
    fn a_detached_part_is_equal() {
        let json = Json::new(r#"[{"a": 1}, {"b": 2}]"#);
        let second = json.elements().nth(1).map(|element| element.detached());
        assert_eq!(second.as_ref().map(Json::as_text), Some(r#"{"b": 2}"#));
    }
}
