use std::collections::BTreeSet;

use serde_json::Value;

use crate::service::get_json;

/// The whole document: a change to the API shows here first.
#[tokio::test]
async fn the_api_document_is_what_was_reviewed() {
    insta::assert_json_snapshot!(get_json("/openapi.json").await, { ".info.version" => "[version]" });
}

#[tokio::test]
async fn every_operation_has_a_summary_a_tag_and_an_id_of_its_own() {
    let document = get_json("/openapi.json").await;
    let mut ids = std::collections::HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for field in ["summary", "operationId"] {
                assert!(
                    operation[field].as_str().is_some_and(|text| !text.is_empty()),
                    "{method} {path}: {field}"
                );
            }
            assert!(ids.insert(operation["operationId"].as_str()), "{method} {path}: the id is another's");
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{method} {path}: tags");
        }
    }
}

#[tokio::test]
async fn every_reference_resolves() {
    let document = get_json("/openapi.json").await;
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 10);
    for reference in references {
        assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference} leads nowhere");
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

#[tokio::test]
async fn every_field_has_a_description() {
    let document = get_json("/openapi.json").await;
    let mut silent = Vec::new();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        undescribed(name, schema, &BTreeSet::new(), &mut silent);
    }
    assert_eq!(silent, Vec::<String>::new());
}

/// The fields without a description. What only constrains a field of the whole, one of `known`, needs no second one.
fn undescribed(name: &str, schema: &Value, known: &BTreeSet<String>, silent: &mut Vec<String>) {
    let mut all = known.clone();
    for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
        // A nullable reference has its description beside the reference.
        let described = [
            inner.get("description"),
            inner.pointer("/oneOf/0/description"),
            inner.pointer("/oneOf/1/description"),
        ];
        let is_described =
            described.iter().flatten().any(|text| text.as_str().is_some_and(|text| !text.is_empty()));
        if !is_described && !known.contains(field) {
            silent.push(format!("{name}.{field}"));
        }
        all.insert(field.clone());
    }
    for part in ["allOf", "oneOf", "anyOf"] {
        for part in schema[part].as_array().into_iter().flatten() {
            undescribed(name, part, &all, silent);
        }
    }
}

/// The reference page sends what the examples say.
#[tokio::test]
async fn every_body_and_every_required_parameter_has_an_example() {
    let document = get_json("/openapi.json").await;
    let items = document["paths"].as_object().unwrap().iter();
    for (path, operation) in
        items.flat_map(|(path, item)| item.as_object().unwrap().values().map(move |op| (path, op)))
    {
        if let Some(body) = operation.get("requestBody") {
            assert!(body.pointer("/content/application~1json/example").is_some(), "{path}: the body");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let is_told = parameter["required"] != true || parameter.get("example").is_some();
            assert!(is_told, "{path}: {}", parameter["name"]);
        }
    }
}
