use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Renders an image at a width in pixels and reads the one code in it.
pub(crate) fn scan(svg: &str, side: u16) -> String {
    let tree = Tree::from_str(svg, &Options::default()).unwrap();
    let mut canvas = Pixmap::new(side.into(), side.into()).unwrap();
    #[expect(clippy::float_arithmetic, reason = "a scale for the renderer")]
    let scale = f32::from(side) / tree.size().width();
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut canvas.as_mut());

    let side = usize::from(side);
    read(side, |x, y| {
        let pixel = canvas.pixels()[y * side + x];
        let sum = u16::from(pixel.red()) + u16::from(pixel.green()) + u16::from(pixel.blue());
        u8::try_from(sum / 3).unwrap()
    })
}

/// Reads the one code in a square image of greys.
pub(crate) fn read(side: usize, grey: impl FnMut(usize, usize) -> u8) -> String {
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, grey);
    let codes = image.detect_grids();
    assert_eq!(codes.len(), 1, "exactly one code is seen");
    codes[0].decode().unwrap().1
}

/// The side of an image's view box, in modules.
pub(crate) fn modules(svg: &str) -> u16 {
    let (_, view_box) = svg.split_once("viewBox=\"0 0 ").unwrap();
    view_box.split_once(' ').unwrap().0.parse().unwrap()
}
