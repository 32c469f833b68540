//! Where a draw may have pixels: scissor, viewport and render area.

use super::Vulkan;
use super::objects::View;
use super::record::Recording;
use crate::interop::capture::Fields;
use crate::interop::import::story::Part;
use crate::scenario::ResourceKind;

/// A box of pixels: left, top, and one past the right and the bottom.
pub(super) type Area = [u32; 4];

/// What bounds the pixels of a draw, as far as it is known. Of several scissors or viewports none is known.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) scissor: Option<Area>,
    pub(super) viewport: Option<Area>,
    pub(super) render: Option<Area>,
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdSetScissor" | "vkCmdSetScissorWithCount" => {
            |v, a| v.recorded(a, |_, r| set_scissor(r, a))
        }
        "vkCmdSetViewport" | "vkCmdSetViewportWithCount" => {
            |v, a| v.recorded(a, |_, r| set_viewport(r, a))
        }
        _ => return None,
    })
}

fn set_scissor(recording: &mut Recording, a: Fields<'_>) {
    if a.u64("firstScissor") == 0 {
        recording.state.bounds.scissor = scissor(a);
    }
}

fn set_viewport(recording: &mut Recording, a: Fields<'_>) {
    if a.u64("firstViewport") == 0 {
        recording.state.bounds.viewport = viewport(a);
    }
}

/// The one element of a list.
fn only<'a>(from: Fields<'a>, key: &str) -> Option<Fields<'a>> {
    let mut all = from.list(key);
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// The scissor, if there is one only.
pub(super) fn scissor(from: Fields<'_>) -> Option<Area> {
    only(from, "pScissors").map(rectangle)
}

/// A render area, if there is one.
pub(super) fn area(one: Fields<'_>) -> Option<Area> {
    one.is_some().then(|| rectangle(one))
}

/// A `VkRect2D`.
fn rectangle(one: Fields<'_>) -> Area {
    let (offset, extent) = (one.get("offset"), one.get("extent"));
    let side = |from: &str, length: &str| {
        let from = offset.i64(from);
        let end = from.saturating_add_unsigned(u64::from(extent.u32(length)));
        (clamped(from), clamped(end))
    };
    let ((left, right), (top, bottom)) = (side("x", "width"), side("y", "height"));
    [left, top, right, bottom]
}

/// The viewport, if there is one only. Its height may be negative: it then goes up.
pub(super) fn viewport(from: Fields<'_>) -> Option<Area> {
    let one = only(from, "pViewports")?;
    let number = |key: &str| one.get(key).0.as_f64();
    let (x, y) = (number("x")?, number("y")?);
    let (right, bottom) = (x + number("width")?, y + number("height")?);
    Some([
        pixel(x.min(right).floor()),
        pixel(y.min(bottom).floor()),
        pixel(x.max(right).ceil()),
        pixel(y.max(bottom).ceil()),
    ])
}

fn clamped(place: i64) -> u32 {
    u32::try_from(place.max(0)).unwrap_or(u32::MAX)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "a conversion from floating point saturates"
)]
fn pixel(place: f64) -> u32 {
    clamped(place as i64)
}

impl Bounds {
    /// What a pipeline fixes, and where it fixes nothing, what commands set.
    pub(super) fn or(self, set: Self) -> Self {
        Self {
            scissor: self.scissor.or(set.scissor),
            viewport: self.viewport.or(set.viewport),
            render: self.render.or(set.render),
        }
    }

    /// The pixels of a target of a size that a draw may have; `None` if these are all.
    pub(super) fn pixels(self, (width, height): (u32, u32)) -> Option<u64> {
        let whole = [0, 0, width, height];
        let bounds = [self.scissor, self.viewport, self.render];
        let seen = bounds.into_iter().flatten().fold(whole, |area, bound| {
            [
                area[0].max(bound[0]),
                area[1].max(bound[1]),
                area[2].min(bound[2]),
                area[3].min(bound[3]),
            ]
        });
        let side = |from: usize| u64::from(seen[from + 2].saturating_sub(seen[from]));
        (seen != whole).then(|| side(0) * side(1))
    }
}

impl Vulkan {
    /// Width and height of the first mip of a view.
    pub(super) fn size_of(&self, view: &View) -> (u32, u32) {
        let mip = match &view.part {
            Part::Image(part) => part.mips.0,
            Part::All | Part::Bytes(..) => 0,
        };
        match &self.story.items[view.item as usize].kind {
            ResourceKind::Texture(shape) => {
                ((shape.width >> mip).max(1), (shape.height >> mip).max(1))
            }
            ResourceKind::Buffer { .. } => (1, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_left_of_a_target() {
        let target = (100, 50);
        assert_eq!(Bounds::default().pixels(target), None);
        let whole = Bounds {
            scissor: Some([0, 0, 200, 200]),
            viewport: Some([0, 0, 100, 50]),
            render: None,
        };
        assert_eq!(whole.pixels(target), None);
        let part = Bounds {
            scissor: Some([90, 10, 200, 20]),
            ..whole
        };
        // 10 columns, 10 rows.
        assert_eq!(part.pixels(target), Some(100));
        let outside = Bounds {
            scissor: Some([100, 0, 200, 50]),
            ..whole
        };
        assert_eq!(outside.pixels(target), Some(0));
    }

    #[test]
    fn a_viewport_may_go_up() {
        let one =
            json!({ "pViewports": [{ "x": 0.0, "y": 64.0, "width": 32.5, "height": -64.0 }] });
        assert_eq!(viewport(Fields(&one)), Some([0, 0, 33, 64]));
        let two = json!({ "pViewports": [{}, {}] });
        assert_eq!(viewport(Fields(&two)), None);
    }
}
