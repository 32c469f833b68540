//! The JSON twin of the scenario language.
//!
//! The twin is the value itself, serialised: masks, layouts and formats by their D3D12 names, durations in picoseconds,
//! resources, heaps, fences, queues and named lists by name (an unnamed list by its place among the lists). Comments
//! are kept, and expectations with them. Reading JSON gives scenario *text*, which is then parsed like any other: every
//! check is the same, and every place in a message is a place of that text.

use super::model::Scenario;
use super::rules;
use crate::api::format::Format;
use crate::api::{
    BarrierAccess, BarrierSync, BarrierType, HeapType, Layout, LeafSet, QueueType, ResourceFlags,
    ResourceState,
};
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use crate::id::{FenceId, HeapId, ListId, QueueId, ResourceId};
use crate::schema::{Schema, schema};
#[cfg(test)]
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::marker::PhantomData;

/// Takes comments, and where empty lines are, out of a part of the JSON form.
pub(crate) fn drop_comments(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for comments in ["trivia", "title_trivia", "trailing"] {
                fields.shift_remove(comments);
            }
            fields.values_mut().for_each(drop_comments);
        }
        Value::Array(values) => values.iter_mut().for_each(drop_comments),
        _ => {}
    }
}

/// The JSON form of a scenario, indented.
///
/// # Panics
/// Never: every part of a scenario has a JSON form.
pub fn to_json(scenario: &Scenario) -> String {
    let mut value =
        serde_json::to_value(scenario).expect("every part of a scenario has a JSON form");
    let tables = Tables::of(scenario);
    tables.to_names(&mut value, None);
    serde_json::to_string_pretty(&value).expect("a JSON value can be written") + "\n"
}

/// Scenario text of a JSON form.
///
/// # Errors
/// What is wrong with the JSON: its syntax with line and column, an unknown name with its path, a value that the schema
/// does not allow.
pub fn to_text(source: &Source) -> Result<String, Box<Finding>> {
    let fail = |span: Span, message: String| {
        Box::new(
            Finding::new(&rules::JSON_SYNTAX, span, message)
                .help("`syncscope schema scenario` prints what a JSON scenario looks like"),
        )
    };
    let mut value: Value = serde_json::from_str(&source.text).map_err(|error| {
        let before = source
            .text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len);
        let at = before.sum::<usize>() + error.column().saturating_sub(1);
        let at = narrow(at.min(source.text.len()));
        fail(
            Span { start: at, end: at },
            format!("this is not JSON: {error}"),
        )
    })?;
    let tables = Tables::of_value(&value);
    let mut path = String::new();
    tables
        .to_ids(&mut value, None, &mut path)
        .map_err(|message| fail(Span::default(), message))?;
    if !value.is_object() {
        let message = "this JSON is not a scenario: a scenario is an object".to_owned();
        return Err(fail(Span::default(), message));
    }
    let scenario: Scenario = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string().replace('.', "/");
        let what = in_words(&error.into_inner().to_string());
        fail(
            Span::default(),
            format!("this JSON is not a scenario: at `/{path}`: {what}"),
        )
    })?;
    check(&scenario).map_err(|message| fail(Span::default(), message))?;
    Ok(super::print(&scenario))
}

/// What describes the JSON form.
pub const SCHEMA: Schema =
    schema!(read_in_order Scenario, "scenario", "The JSON form of a scenario");

/// A message of the JSON reader in words of JSON, not of this program: `found integer `3`, expected an object`.
fn in_words(message: &str) -> String {
    let Some((given, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    // A struct may also be an array of its fields, which nobody writes on purpose.
    let is_object = expected.starts_with("struct ") || expected == "a map";
    let expected = match expected {
        "struct variant" | "newtype variant" | "tuple variant" => "an object",
        _ if is_object => "an object",
        "a sequence" => "an array",
        other => other,
    };
    if let Some(given) = given.strip_prefix("invalid type: ") {
        format!("found {given}, expected {expected}")
    } else if let (Some(length), true) = (given.strip_prefix("invalid length "), is_object) {
        format!("found an array of {length}, expected an object")
    } else {
        format!("{given}, expected {expected}")
    }
}

/// Reads a struct as the named fields of a variant are read: from an object, never from an array of its fields.
pub(super) fn by_name<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<T, D::Error> {
    struct ByName<T>(PhantomData<T>);

    impl<'de, T: DeserializeOwned> Visitor<'de> for ByName<T> {
        type Value = T;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("struct variant")
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields))
        }
    }
    deserializer.deserialize_map(ByName(PhantomData))
}

/// What the printer relies on and the schema cannot say.
fn check(scenario: &Scenario) -> Result<(), String> {
    let lists = scenario.lists.len();
    let heaps = scenario.heaps.len();
    for declaration in &scenario.order {
        use super::model::Declaration;
        let (index, count, what) = match declaration {
            Declaration::Heap(id) => (id.index(), heaps, "heap"),
            Declaration::Resource(id) => (id.index(), scenario.resources.len(), "resource"),
            Declaration::Fence(id) => (id.index(), scenario.fences.len(), "fence"),
            Declaration::Queue(id) => (id.index(), scenario.queues.len(), "queue"),
            Declaration::Adapter(index) => (*index as usize, scenario.adapters.len(), "adapter"),
            Declaration::List(id) => (id.index(), lists, "list"),
            Declaration::Title | Declaration::Device | Declaration::Timeline => continue,
        };
        if index >= count {
            return Err(format!(
                "`order` names {what} {index}, but there are {count}"
            ));
        }
    }
    Ok(())
}

// ---- names and ids ----------------------------------------------------------------------------------------------------

/// Names of what ids point at, in order.
struct Tables {
    resources: Vec<String>,
    heaps: Vec<String>,
    fences: Vec<String>,
    queues: Vec<String>,
    lists: Vec<Option<String>>,
}

impl Tables {
    fn of(scenario: &Scenario) -> Self {
        Self {
            resources: scenario.resources.keys().cloned().collect(),
            heaps: scenario.heaps.keys().cloned().collect(),
            fences: scenario.fences.keys().cloned().collect(),
            queues: scenario.queues.keys().cloned().collect(),
            lists: scenario.lists.iter().map(|l| l.name.clone()).collect(),
        }
    }

    fn of_value(value: &Value) -> Self {
        let keys = |key: &str| -> Vec<String> {
            value
                .get(key)
                .and_then(Value::as_object)
                .map(|map| map.keys().cloned().collect())
                .unwrap_or_default()
        };
        let lists = value.get("lists").and_then(Value::as_array);
        Self {
            resources: keys("resources"),
            heaps: keys("heaps"),
            fences: keys("fences"),
            queues: keys("queues"),
            lists: lists
                .map(|lists| {
                    lists
                        .iter()
                        .map(|l| l.get("name").and_then(Value::as_str).map(str::to_owned))
                        .collect()
                })
                .unwrap_or_default(),
        }
    }

    /// Name of an id under a key that holds ids, if it has one.
    fn name(&self, key: &str, id: usize) -> Option<&str> {
        match key {
            "resource" | "uav" | "alias" => self.resources.get(id).map(String::as_str),
            "heap" => self.heaps.get(id).map(String::as_str),
            "fence" => self.fences.get(id).map(String::as_str),
            "queue" | "reset" | "process" => self.queues.get(id).map(String::as_str),
            "list" | "lists" => self.lists.get(id).and_then(Option::as_deref),
            _ => None,
        }
    }

    /// How many there are under a key; `None` for a key without ids.
    fn table(&self, key: &str) -> Option<(&'static str, usize)> {
        match key {
            "resource" | "uav" | "alias" => Some(("texture or buffer", self.resources.len())),
            "heap" => Some(("heap", self.heaps.len())),
            "fence" => Some(("fence", self.fences.len())),
            "queue" | "reset" | "process" => Some(("queue", self.queues.len())),
            "list" | "lists" => Some(("list", self.lists.len())),
            _ => None,
        }
    }

    fn to_names(&self, value: &mut Value, key: Option<&str>) {
        match value {
            Value::Number(number) => {
                let name = key
                    .zip(number.as_u64())
                    .and_then(|(key, id)| self.name(key, usize::try_from(id).ok()?));
                if let Some(name) = name {
                    *value = Value::String(name.to_owned());
                }
            }
            // Elements of an array are under the array's key.
            Value::Array(items) => items.iter_mut().for_each(|item| self.to_names(item, key)),
            Value::Object(map) => map
                .iter_mut()
                .for_each(|(key, item)| self.to_names(item, Some(key))),
            _ => {}
        }
    }

    fn to_ids(
        &self,
        value: &mut Value,
        key: Option<&str>,
        path: &mut String,
    ) -> Result<(), String> {
        let length = path.len();
        match value {
            Value::String(name) => {
                let Some((what, count)) = key.and_then(|key| self.table(key)) else {
                    return Ok(());
                };
                let key = key.unwrap_or_default();
                let Some(id) = (0..count).find(|id| self.name(key, *id) == Some(name)) else {
                    return Err(format!("at `{path}`: no {what} is called `{name}`"));
                };
                *value = Value::from(id);
            }
            Value::Number(number) => {
                if let Some((what, count)) = key.and_then(|key| self.table(key))
                    && number.as_u64().is_none_or(|id| id >= count as u64)
                {
                    return Err(format!(
                        "at `{path}`: {what} number {number} does not exist"
                    ));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    write!(path, "/{index}").expect("a string grows");
                    self.to_ids(item, key, path)?;
                    path.truncate(length);
                }
            }
            Value::Object(map) => {
                for (key, item) in map.iter_mut() {
                    write!(path, "/{key}").expect("a string grows");
                    self.to_ids(item, Some(key), path)?;
                    path.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
        Ok(())
    }
}

// ---- words ------------------------------------------------------------------------------------------------------------

macro_rules! as_text {
    ($type:ty, $name:literal, $write:expr, $read:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let write: fn(&$type) -> String = $write;
                serializer.serialize_str(&write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                let read: fn(&str) -> Option<$type> = $read;
                read(&text).ok_or_else(|| D::Error::custom(format!("unknown {} `{text}`", $name)))
            }
        }

        #[cfg(test)]
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.replace(' ', "_").into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
                json_schema!({ "type": "string", "description": $name })
            }
        }
    };
}

/// A mask `A|B`, numbers included.
fn mask(text: &str, one: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    text.split('|').try_fold(0, |bits, word| {
        let word = word.trim();
        let value = one(word).or_else(|| u32::from_str_radix(word.strip_prefix("0x")?, 16).ok())?;
        Some(bits | value)
    })
}

as_text!(
    BarrierSync,
    "synchronization scope",
    ToString::to_string,
    |text| {
        mask(text, |w| BarrierSync::parse_one(w).map(|v| v.bits()))
            .map(BarrierSync::from_bits_retain)
    }
);
as_text!(BarrierAccess, "access", ToString::to_string, |text| {
    mask(text, |w| BarrierAccess::parse_one(w).map(|v| v.bits()))
        .map(BarrierAccess::from_bits_retain)
});
as_text!(
    ResourceState,
    "resource state",
    ToString::to_string,
    |text| {
        mask(text, |w| ResourceState::parse_one(w).map(|v| v.bits()))
            .map(ResourceState::from_bits_retain)
    }
);
as_text!(
    ResourceFlags,
    "resource flags",
    ToString::to_string,
    |text| {
        let none = |w: &str| (w == "NONE").then_some(0);
        mask(text, |w| {
            ResourceFlags::parse_one(w)
                .map(|v| v.bits())
                .or_else(|| none(w))
        })
        .map(ResourceFlags::from_bits_retain)
    }
);
as_text!(
    Layout,
    "layout",
    |layout| layout.name().into_owned(),
    |text| {
        Layout::parse(text).or_else(|| {
            u32::from_str_radix(text.strip_prefix("0x")?, 16)
                .ok()
                .map(Layout::from_value)
        })
    }
);
as_text!(LeafSet, "leaf stages", ToString::to_string, |text| {
    mask(text, |w| BarrierSync::parse_one(w).map(|v| v.leaves().0)).map(LeafSet)
});
as_text!(
    QueueType,
    "queue type",
    |queue| queue.word().into(),
    QueueType::parse
);
as_text!(
    HeapType,
    "heap type",
    |heap| heap.word().into(),
    HeapType::parse
);
as_text!(
    Format,
    "format",
    |format| format.name().into(),
    Format::from_name
);
as_text!(
    BarrierType,
    "barrier type",
    |kind| format!("{kind:?}").to_lowercase(),
    |text| match text {
        "global" => Some(BarrierType::Global),
        "texture" => Some(BarrierType::Texture),
        "buffer" => Some(BarrierType::Buffer),
        "ranged" => Some(BarrierType::Ranged),
        _ => None,
    }
);

macro_rules! as_name {
    ($type:ty, $name:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.0)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u32::deserialize(deserializer).map(Self)
            }
        }

        #[cfg(test)]
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
                json_schema!({ "type": ["string", "integer"], "description": concat!("name of a ", $name) })
            }
        }
    };
}

as_name!(ResourceId, "resource");
as_name!(HeapId, "heap");
as_name!(FenceId, "fence");
as_name!(QueueId, "queue");
as_name!(ListId, "list");

/// What the schema of a scenario calls a time.
#[cfg(test)]
pub(super) struct Picoseconds;

#[cfg(test)]
impl JsonSchema for Picoseconds {
    fn schema_name() -> Cow<'static, str> {
        "picoseconds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({ "type": "integer", "minimum": 0 })
    }
}

/// Places belong to the text, not to the value: they are written as `null` and read as nothing.
impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self::default())
    }
}

#[cfg(test)]
impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "place".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        json_schema!({ "type": "null" })
    }
}
