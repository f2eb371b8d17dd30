//! The field of a union by which a client tells its variants apart: the derived document says nothing about it.

use utoipa::openapi::schema::Object;
use utoipa::openapi::{OpenApi as Document, RefOr, Schema};

/// Describes the tag of every variant of every union.
pub(super) fn describe(document: &mut Document) {
    let Some(components) = &mut document.components else { return };
    for schema in components.schemas.values_mut() {
        let RefOr::T(Schema::OneOf(union)) = schema else { continue };
        for variant in &mut union.items {
            describe_variant(variant);
        }
    }
}

fn describe_variant(variant: &mut RefOr<Schema>) {
    match variant {
        RefOr::T(Schema::Object(object)) => describe_tags(object),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(describe_variant),
        _ => {}
    }
}

fn describe_tags(object: &mut Object) {
    for property in object.properties.values_mut() {
        let RefOr::T(Schema::Object(property)) = property else { continue };
        if let (Some([value]), None) = (property.enum_values.as_deref(), &property.description) {
            property.description = Some(format!("{value}, which tells this variant from the others."));
        }
    }
}
