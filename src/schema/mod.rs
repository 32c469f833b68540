//! JSON Schemas of what the program reads and writes: one text file each, next to this one.
//!
//! What a schema describes is a type of another module. Only tests derive schemas from types: one of them compares what it
//! derives with the files, and `UPDATE_SCHEMAS=1 cargo test --test unit schemas` writes them. A new schema starts as an empty file.

use serde::{Serialize, Serializer};
use std::fmt::Display;

/// The schema of a document.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub struct Schema {
    /// Word after `syncscope schema`.
    pub name: &'static str,
    /// What it describes, without a full stop.
    pub about: &'static str,
    /// JSON Schema 2020-12, indented, with a line end.
    pub text: &'static str,
    /// Derives the schema from the type of the document.
    #[cfg(test)]
    pub(crate) derived: fn() -> serde_json::Value,
}

/// `schema!(written Document<'static>, "name", "What it describes")`; `read` for what the program reads.
macro_rules! schema {
    ($how:ident $type:ty, $name:literal, $about:literal) => {
        $crate::schema::Schema {
            name: $name,
            about: $about,
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/src/schema/",
                $name,
                ".json"
            )),
            #[cfg(test)]
            derived: $crate::schema::derive::$how::<$type>,
        }
    };
}
pub(crate) use schema;

/// What an empty text says in a document: nothing, which is null.
///
/// # Errors
/// Only what the serializer returns.
pub(crate) fn null_if_empty<S: Serializer>(
    text: &impl AsRef<str>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = text.as_ref();
    (!text.is_empty()).then_some(text).serialize(serializer)
}

/// A value as people read it.
///
/// # Errors
/// Only what the serializer returns.
pub(crate) fn as_text<S: Serializer>(
    value: &impl Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

#[cfg(test)]
pub(crate) mod derive {
    use schemars::{JsonSchema, generate::SchemaSettings};
    use serde_json::Value;

    /// Of what is read: a field with a default may be absent.
    pub(crate) fn read<T: JsonSchema>() -> Value {
        of::<T>(SchemaSettings::default())
    }

    /// The same, with keywords in the order in which people write them.
    pub(crate) fn read_in_order<T: JsonSchema>() -> Value {
        let schema = SchemaSettings::default()
            .into_generator()
            .into_root_schema_for::<T>();
        serde_json::to_value(schema).expect("a schema is JSON")
    }

    /// Of what is written.
    pub(crate) fn written<T: JsonSchema>() -> Value {
        of::<T>(SchemaSettings::default().for_serialize())
    }

    fn of<T: JsonSchema>(settings: SchemaSettings) -> Value {
        settings.into_generator().into_root_schema_for::<T>().into()
    }
}
