//! A JSON schema, as far as that of SARIF and those of this program go: what a value has to be.
//!
//! A keyword that is not known here is an error, and not passed over.

use serde_json::{Map, Value};

/// What of a value is not as its schema says: a line for each.
pub(crate) fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut checked = Checked {
        root: schema,
        says: Vec::new(),
    };
    checked.check(schema, value, "");
    checked.says
}

struct Checked<'s> {
    root: &'s Value,
    says: Vec<String>,
}

impl<'s> Checked<'s> {
    fn check(&mut self, schema: &'s Value, value: &Value, at: &str) {
        let schema = schema.as_object().expect("a schema is an object");
        for (keyword, wants) in schema {
            self.keyword(schema, keyword, wants, value, at);
        }
    }

    fn keyword(
        &mut self,
        schema: &'s Map<String, Value>,
        keyword: &str,
        wants: &'s Value,
        value: &Value,
        at: &str,
    ) {
        let holds = match keyword {
            // What is said of the schema itself, and what a reader assumes where a value is not there.
            "$schema" | "$id" | "title" | "description" | "default" | "definitions" | "$defs" => {
                true
            }
            "$ref" => {
                let name = wants.as_str().and_then(|r| r.strip_prefix('#'));
                let other = self.root.pointer(name.expect("a place in this schema"));
                self.check(other.expect("a definition"), value, at);
                true
            }
            "type" => match wants {
                Value::Array(any) => any.iter().any(|one| is_of_type(one, value)),
                one => is_of_type(one, value),
            },
            "const" => wants == value,
            "enum" => wants.as_array().expect("values").contains(value),
            "minimum" => number(value).is_none_or(|n| n >= number(wants).expect("a number")),
            "maximum" => number(value).is_none_or(|n| n <= number(wants).expect("a number")),
            "minItems" => {
                let least = wants.as_u64().expect("a number");
                value.as_array().is_none_or(|all| all.len() as u64 >= least)
            }
            "maxItems" => {
                let most = wants.as_u64().expect("a number");
                value.as_array().is_none_or(|all| all.len() as u64 <= most)
            }
            "prefixItems" => {
                let schemas = wants.as_array().expect("schemas").iter();
                let items = value.as_array().into_iter().flatten();
                for (index, (schema, item)) in schemas.zip(items).enumerate() {
                    self.check(schema, item, &format!("{at}/{index}"));
                }
                true
            }
            "uniqueItems" => {
                let all = value.as_array().map_or(&[][..], Vec::as_slice);
                let is_new = |(at, item)| !all[..at].contains(item);
                wants == false || all.iter().enumerate().all(is_new)
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(wants, item, &format!("{at}/{index}"));
                }
                true
            }
            "required" => {
                let names = wants.as_array().expect("names").iter();
                let mut names = names.map(|name| name.as_str().expect("a name"));
                value
                    .as_object()
                    .is_none_or(|o| names.all(|name| o.contains_key(name)))
            }
            "properties" | "additionalProperties" => {
                self.properties(schema, keyword, value, at);
                true
            }
            "anyOf" | "oneOf" => {
                let all = wants.as_array().expect("schemas").iter();
                let root = self.root;
                let fits = |schema: &&Value| {
                    let mut one = Checked {
                        root,
                        says: Vec::new(),
                    };
                    one.check(schema, value, at);
                    one.says.is_empty()
                };
                let fitting = all.filter(fits).count();
                fitting == 1 || (keyword == "anyOf" && fitting > 1)
            }
            "format" => value.as_str().is_none_or(|text| is_of_format(wants, text)),
            "pattern" => value.as_str().is_none_or(|text| is_like(wants, text)),
            other => panic!("the schema says `{other}`, which nothing here knows"),
        };
        if !holds {
            self.says
                .push(format!("{at}: {keyword} {wants}, not {value}"));
        }
    }

    /// What is named, and what is not.
    fn properties(
        &mut self,
        schema: &'s Map<String, Value>,
        keyword: &str,
        value: &Value,
        at: &str,
    ) {
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, inner) in value.as_object().into_iter().flatten() {
            let at = format!("{at}/{name}");
            let own = known.and_then(|known| known.get(name));
            match (keyword, own) {
                ("properties", Some(own)) => self.check(own, inner, &at),
                ("additionalProperties", None) => match &schema["additionalProperties"] {
                    Value::Bool(true) => {}
                    Value::Bool(false) => self.says.push(format!("{at}: nothing of that name")),
                    others => self.check(others, inner, &at),
                },
                _ => {}
            }
        }
    }
}

fn is_of_type(name: &Value, value: &Value) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}

fn is_of_format(format: &Value, text: &str) -> bool {
    // RFC 3986: these signs, and `%` with two digits after it.
    let is_plain = |text: &str| {
        let signs = "-._~:/?#[]@!$&'()*+,;=%";
        let mut parts = text.split('%').skip(1);
        let is_hex =
            |part: &str| part.len() >= 2 && part.bytes().take(2).all(|b| b.is_ascii_hexdigit());
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
            && parts.all(is_hex)
    };
    match format.as_str().expect("a word") {
        "uri-reference" => is_plain(text),
        "uri" => {
            let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
            is_plain(text) && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        }
        other => panic!("format {other}: nothing that is written has one"),
    }
}

/// The patterns of the schema, by hand.
fn is_like(pattern: &Value, text: &str) -> bool {
    match pattern.as_str().expect("a pattern") {
        // A version of four numbers, a MIME type, a language.
        "[0-9]+(\\.[0-9]+){3}" => text.split('.').count() >= 4,
        "[^/]+/.+" => text
            .split_once('/')
            .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()),
        other => panic!("pattern {other}: nothing that is written has one"),
    }
}
