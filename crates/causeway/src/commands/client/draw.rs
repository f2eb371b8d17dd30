use std::io::IsTerminal as _;

use causeway_qr::Style;

use super::failure::Failure;

/// The quiet zone around a code, in modules.
const QUIET_ZONE: usize = 4;

/// How light and dark modules are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenderMode {
    /// With explicit colours.
    Colours,
    /// Block characters are the light modules, for light text on a dark background.
    LightText,
    /// Block characters are the dark modules.
    DarkText,
}

impl RenderMode {
    pub(crate) fn for_stdout(invert: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match (std::io::stdout().is_terminal() && !plain, invert) {
            (true, false) => Self::Colours,
            (_, true) => Self::DarkText,
            (false, false) => Self::LightText,
        }
    }
}

/// A code in half blocks: each character is two modules, one above the other.
pub(crate) fn blocks(modules: &[Vec<bool>], mode: RenderMode) -> String {
    let side = modules.len() + 2 * QUIET_ZONE;
    let dark = |row: usize, column: usize| {
        let (row, column) = (row.checked_sub(QUIET_ZONE), column.checked_sub(QUIET_ZONE));
        row.zip(column).and_then(|(row, column)| modules.get(row)?.get(column)).copied().unwrap_or(false)
    };
    let (begin, end) =
        if mode == RenderMode::Colours { ("\x1b[38;5;16;48;5;231m", "\x1b[0m") } else { ("", "") };
    let filled = |dark: bool| dark != (mode == RenderMode::LightText);
    let mut text = String::new();
    for row in (0..side).step_by(2) {
        text += begin;
        for column in 0..side {
            // Below the last row nothing is drawn, so that the edge is straight.
            let below = row + 1 < side && filled(dark(row + 1, column));
            text.push(match (filled(dark(row, column)), below) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        text += end;
        text.push('\n');
    }
    text
}

/// A code as PNG, black on white, every module a square of the same whole number of pixels.
pub(crate) fn png(modules: &[Vec<bool>], style: Style) -> Result<Vec<u8>, Failure> {
    let margin = usize::from(style.margin);
    let side = modules.len() + 2 * margin;
    let scale = (usize::from(style.size) / side).max(1);
    let pixels = side * scale;
    let mut data = Vec::with_capacity(pixels * pixels.div_ceil(8));
    for y in 0..pixels {
        let row = (y / scale).checked_sub(margin).and_then(|row| modules.get(row));
        let mut line = vec![0xff_u8; pixels.div_ceil(8)];
        for x in 0..pixels {
            let module = (x / scale).checked_sub(margin).and_then(|column| row?.get(column));
            if let (Some(true), Some(byte)) = (module, line.get_mut(x / 8)) {
                *byte &= !(0x80 >> (x % 8));
            }
        }
        data.extend_from_slice(&line);
    }
    let fault = |error: png::EncodingError| Failure::Local(error.to_string());
    let length = u32::try_from(pixels).map_err(|error| Failure::Local(error.to_string()))?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, length, length);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().map_err(fault)?;
    writer.write_image_data(&data).map_err(fault)?;
    writer.finish().map_err(fault)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> Vec<Vec<bool>> {
        causeway_qr::modules("hello").unwrap()
    }

    #[test]
    fn both_modes_draw_the_same_code_with_a_quiet_zone() {
        let light: Vec<String> = blocks(&code(), RenderMode::LightText).lines().map(str::to_owned).collect();
        let dark: Vec<String> = blocks(&code(), RenderMode::DarkText).lines().map(str::to_owned).collect();
        assert_eq!((light.len(), light[0].chars().count()), (15, 29));
        assert!(light[0].chars().all(|letter| letter == '█') && dark[0].trim().is_empty());
        let inverse = |letter| match letter {
            '█' => ' ',
            '▀' => '▄',
            '▄' => '▀',
            _ => '█',
        };
        // The last line has only an upper half in either mode.
        for (light, dark) in light.iter().zip(&dark).take(14) {
            assert_eq!(light.chars().map(inverse).collect::<String>(), *dark);
        }
    }

    #[test]
    fn a_png_shows_every_module() {
        let style = Style { size: 300, ..Style::default() };
        let bytes = png(&code(), style).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (290, 290), "29 modules of ten pixels");
        let dark = |x: usize, y: usize| pixels[y * info.line_size + x / 8] >> (7 - x % 8) & 1 == 0;
        for (y, row) in code().iter().enumerate() {
            for (x, module) in row.iter().enumerate() {
                assert_eq!(dark((x + 4) * 10 + 9, (y + 4) * 10), *module, "{x} {y}");
            }
        }
        assert!(!dark(0, 0) && !dark(289, 289));
    }
}
