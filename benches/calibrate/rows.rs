//! The measured rows. The file keeps rows with the same parameters together, and names the parameters once.

use serde_json::{Map, Value};

/// One measured row.
pub(crate) struct Row {
    /// Table and name.
    pub(crate) table: String,
    pub(crate) name: String,
    /// What was measured.
    pub(crate) params: Value,
    /// What came out.
    pub(crate) values: Value,
}

impl Row {
    /// A parameter in words.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.params[key].as_str()
    }

    /// A parameter that is a number.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        self.params[key].as_u64()
    }

    /// Type of the queue that it was measured on.
    pub(crate) fn queue(&self) -> &'static str {
        queue_type(self.text("queue").unwrap_or_default())
    }

    /// The time that was measured, in nanoseconds.
    ///
    /// # Panics
    /// If the row has none.
    pub(crate) fn time_ns(&self) -> f64 {
        let time = self.values["median_ns"].as_f64();
        let time = time.or_else(|| self.values["duration_ns"].as_f64());
        time.expect("a time")
    }

    /// The row in a line.
    pub(crate) fn place(&self) -> String {
        format!("{} {}", self.name, self.params).replace('"', "")
    }
}

/// `gfx0` and the like as a queue type.
pub(crate) fn queue_type(name: &str) -> &'static str {
    match name.get(..4) {
        Some("comp") => "compute",
        Some("xfer") => "copy",
        _ => "direct",
    }
}

/// Every row.
pub(crate) fn load() -> Vec<Row> {
    const FILES: [&str; 2] = [
        include_str!("../data/h100.json"),
        include_str!("../data/h100-streams.json"),
    ];
    let mut rows = Vec::new();
    for file in FILES {
        let data: Value = serde_json::from_str(file).expect("the data is JSON");
        let groups = data["groups"].as_array().expect("groups");
        rows.extend(groups.iter().flat_map(group));
    }
    rows
}

fn group(group: &Value) -> Vec<Row> {
    let words = |key: &str| -> Vec<String> {
        let list = group[key].as_array().expect("a list");
        let word = |v: &Value| v.as_str().expect("a word").to_owned();
        list.iter().map(word).collect()
    };
    let (params, values) = (words("params"), words("values"));
    let word = |key: &str| group[key].as_str().expect("a word").to_owned();
    let rows = group["rows"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let cells = row.as_array().expect("cells");
            assert_eq!(cells.len(), params.len() + values.len(), "{row}");
            let (first, last) = cells.split_at(params.len());
            let object = |keys: &[String], cells: &[Value]| {
                let pairs = keys.iter().cloned().zip(cells.iter().cloned());
                Value::Object(pairs.collect::<Map<_, _>>())
            };
            Row {
                table: word("table"),
                name: word("name"),
                params: object(&params, first),
                values: object(&values, last),
            }
        })
        .collect()
}
