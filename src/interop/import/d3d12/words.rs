//! D3D12's enumerations as a capture prints them: names with their prefix, names joined by `|`, numbers, hexadecimal
//! numbers, and `Unhandled D3D12_… (144)` for what the converter has no name for, which is every combination of two bits of
//! a barrier's sync or access.

use crate::api::{BarrierAccess, BarrierSync, Layout, ResourceFlags, ResourceState};
use crate::interop::capture::Fields;

/// The number of a field that is written as a number.
fn number(field: Fields<'_>) -> Option<u32> {
    if let Some(value) = field.0.as_i64() {
        // Enums are signed in the converter: a value with the top bit is negative.
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the low 32 bits are the value"
        )]
        return Some(value as u32);
    }
    let text = field.text().trim();
    if let Some(inside) = text.strip_prefix("Unhandled ") {
        let digits = inside.rsplit_once('(')?.1.trim_end_matches(')');
        let value: i64 = digits.trim().parse().ok()?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the low 32 bits are the value"
        )]
        return Some(value as u32);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    text.parse().ok()
}

/// Bits of a mask: a number, or names without a prefix joined by `|`.
fn mask(field: Fields<'_>, prefix: &str, one: impl Fn(&str) -> Option<u32>) -> u32 {
    number(field).unwrap_or_else(|| {
        let words = field.text().split('|').map(str::trim);
        let bits = words.map(|word| one(word.strip_prefix(prefix).unwrap_or(word)).unwrap_or(0));
        bits.fold(0, |all, bit| all | bit)
    })
}

pub(super) fn sync(field: Fields<'_>) -> BarrierSync {
    let one = |name: &str| BarrierSync::parse_one(name).map(|bits| bits.bits());
    BarrierSync::from_bits_retain(mask(field, "D3D12_BARRIER_SYNC_", one))
}

pub(super) fn access(field: Fields<'_>) -> BarrierAccess {
    let one = |name: &str| BarrierAccess::parse_one(name).map(|bits| bits.bits());
    BarrierAccess::from_bits_retain(mask(field, "D3D12_BARRIER_ACCESS_", one))
}

pub(super) fn layout(field: Fields<'_>) -> Layout {
    let name = field.text().trim_start_matches("D3D12_BARRIER_LAYOUT_");
    Layout::parse(name)
        .or_else(|| number(field).map(Layout::from_value))
        .unwrap_or(Layout::Undefined)
}

pub(super) fn state(field: Fields<'_>) -> ResourceState {
    let one = |name: &str| match name {
        "PRESENT" | "COMMON" => Some(0),
        "GENERIC_READ" => Some(0xac3),
        "ALL_SHADER_RESOURCE" => Some(0xc0),
        other => ResourceState::parse_one(other).map(|bits| bits.bits()),
    };
    ResourceState::from_bits_retain(mask(field, "D3D12_RESOURCE_STATE_", one))
}

/// Creation flags that the scenario language has.
pub(super) fn resource_flags(field: Fields<'_>) -> ResourceFlags {
    const NAMES: [(&str, ResourceFlags); 6] = [
        ("ALLOW_RENDER_TARGET", ResourceFlags::RENDER_TARGET),
        ("ALLOW_DEPTH_STENCIL", ResourceFlags::DEPTH_STENCIL),
        ("ALLOW_UNORDERED_ACCESS", ResourceFlags::UNORDERED_ACCESS),
        ("DENY_SHADER_RESOURCE", ResourceFlags::DENY_SHADER_RESOURCE),
        (
            "ALLOW_SIMULTANEOUS_ACCESS",
            ResourceFlags::SIMULTANEOUS_ACCESS,
        ),
        (
            "RAYTRACING_ACCELERATION_STRUCTURE",
            ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE,
        ),
    ];
    let kept = NAMES
        .iter()
        .fold(ResourceFlags::empty(), |all, (_, flag)| all | *flag);
    let one = |name: &str| {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, flag)| flag.bits())
    };
    ResourceFlags::from_bits_retain(mask(field, "D3D12_RESOURCE_FLAG_", one)) & kept
}

/// Whether a flag of a mask is set, by its bit or its name.
pub(super) fn has(field: Fields<'_>, bit: u32, name: &str) -> bool {
    number(field).map_or_else(|| field.text().contains(name), |bits| bits & bit != 0)
}

/// Whether an enumeration has this value, by its number or the end of its name.
pub(super) fn is(field: Fields<'_>, value: u32, name: &str) -> bool {
    number(field).map_or_else(|| field.text().ends_with(name), |number| number == value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn combined_bits_are_numbers_in_words() {
        let value = json!("Unhandled D3D12_BARRIER_SYNC (144)");
        assert_eq!(
            sync(Fields(&value)),
            BarrierSync::COMPUTE_SHADING | BarrierSync::PIXEL_SHADING
        );
        let value = json!("Unhandled D3D12_BARRIER_SYNC (-2147483648)");
        assert_eq!(sync(Fields(&value)), BarrierSync::SPLIT);
        let value = json!("D3D12_BARRIER_SYNC_RENDER_TARGET");
        assert_eq!(sync(Fields(&value)), BarrierSync::RENDER_TARGET);
        let value = json!("D3D12_BARRIER_ACCESS_NO_ACCESS");
        assert_eq!(access(Fields(&value)), BarrierAccess::NO_ACCESS);
        let value = json!("Unhandled D3D12_BARRIER_ACCESS (-2147483648)");
        assert_eq!(access(Fields(&value)), BarrierAccess::NO_ACCESS);
    }

    #[test]
    fn layouts_and_states_have_names_and_numbers() {
        let value = json!("Unhandled D3D12_BARRIER_LAYOUT (30)");
        assert_eq!(layout(Fields(&value)), Layout::VideoQueueCommon);
        let value = json!("D3D12_BARRIER_LAYOUT_UNDEFINED");
        assert_eq!(layout(Fields(&value)), Layout::Undefined);
        let value = json!("0x000000c0");
        assert_eq!(
            state(Fields(&value)),
            ResourceState::PIXEL_SHADER_RESOURCE | ResourceState::NON_PIXEL_SHADER_RESOURCE
        );
        let value = json!("D3D12_RESOURCE_STATE_COPY_DEST|D3D12_RESOURCE_STATE_RENDER_TARGET");
        assert_eq!(
            state(Fields(&value)),
            ResourceState::COPY_DEST | ResourceState::RENDER_TARGET
        );
        let value = json!("0x00000005");
        assert_eq!(
            resource_flags(Fields(&value)),
            ResourceFlags::RENDER_TARGET | ResourceFlags::UNORDERED_ACCESS
        );
    }
}
