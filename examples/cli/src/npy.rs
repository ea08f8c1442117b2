//! `.npy` files as NumPy writes and reads them: little-endian, in C order, of one element type and one shape.
//!
//! A file of another kind is refused with what was found in it: silent conversion would hide a mistake in the script that wrote it.

use crate::number::Number;
use crate::shape::Shape;
use ndarray_npy::npy::header::Header;
use ndarray_npy::{WritableElement, WriteNpyExt};
use pl::ndarray::{ArrayD, ArrayView, Dimension};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Reads an array of the element type `T`, with the number of axes that `shape` has: `[P, 1, P * SIZE]`. The error says what was found
/// instead.
pub fn read<T: Number>(path: &Path, shape: &'static str) -> Result<ArrayD<T>, String> {
    read_shape(path, &Shape::new(shape))
}

pub(crate) fn read_shape<T: Number>(path: &Path, shape: &Shape) -> Result<ArrayD<T>, String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    parse(BufReader::new(file), shape).map_err(|e| format!("`{}` {e}", path.display()))
}

/// Reads the file's text. Errors complete the sentence "`x.npy` …".
fn parse<T: Number>(mut reader: impl Read, shape: &Shape) -> Result<ArrayD<T>, String> {
    let header =
        Header::from_reader(&mut reader).map_err(|e| format!("is not a .npy file: {}", cut(&e.to_string())))?;
    let descriptor = header.type_descriptor.to_string();
    check_dtype::<T>(descriptor.trim_matches('\''))?;
    if header.shape.len() != shape.rank() {
        let reshape = shape.reshape().map_or_else(String::new, |axes| format!("; use `x.reshape({axes})`"));
        return Err(format!(
            "has shape {}, and not {} {} {}{reshape}",
            cut(&format!("{:?}", header.shape)),
            shape.rank(),
            if shape.rank() == 1 { "axis" } else { "axes" },
            shape.text(),
        ));
    }
    if header.layout.is_fortran() {
        return Err("is in Fortran order, and not in C order; use `np.ascontiguousarray(x)` before `np.save`".into());
    }
    let expected = header.shape.iter().try_fold(4usize, |n, extent| n.checked_mul(*extent));
    let (elements, bytes) = elements(reader, expected.unwrap_or(0)).map_err(|e| format!("cannot be read: {e}"))?;
    if expected != Some(bytes) {
        return Err(format!(
            "is damaged: its header promises {} of shape {:?}, and {bytes} bytes of data follow",
            T::DTYPE,
            header.shape,
        ));
    }
    ArrayD::from_shape_vec(header.shape, elements).map_err(|e| format!("is damaged: {e}"))
}

/// Reads to the end: the elements of the first `expected` bytes, and how many bytes there are. Piece by piece, so that what is large is held once.
fn elements<T: Number>(reader: impl Read, expected: usize) -> io::Result<(Vec<T>, usize)> {
    let mut elements = vec![];
    // What a damaged header promises may be more than there can be.
    let _ = elements.try_reserve_exact(expected / 4);
    let mut kept = reader.take(expected as u64);
    let mut piece = [0; 1 << 16];
    let (mut filled, mut bytes) = (0, 0);
    loop {
        let read = match kept.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        (filled, bytes) = (filled + read, bytes + read);
        let (whole, rest) = piece[..filled].as_chunks();
        elements.extend(whole.iter().map(|b| T::from_bytes(*b)));
        let (start, left) = (filled - rest.len(), rest.len());
        piece.copy_within(start..filled, 0);
        filled = left;
    }
    let beyond = io::copy(&mut kept.into_inner(), &mut io::sink())?;
    Ok((elements, bytes + beyond as usize))
}

/// Accepts the type's own descriptor and says of anything else what it is.
fn check_dtype<T: Number>(descriptor: &str) -> Result<(), String> {
    let (own, own_name) = T::NUMPY;
    let name = match descriptor.trim_start_matches(['<', '>', '|', '=']) {
        "f2" => "float16",
        "f4" => "float32",
        "f8" => "float64",
        "i1" => "int8",
        "i2" => "int16",
        "i4" => "int32",
        "i8" => "int64",
        "u1" => "uint8",
        "u4" => "uint32",
        "b1" => "bool",
        "c8" => "complex64",
        "c16" => "complex128",
        _ => "another type",
    };
    let help = format!("use `x.astype('{own}')`");
    match descriptor {
        _ if descriptor == own => Ok(()),
        _ if descriptor == own.replace('<', ">") => {
            Err(format!("holds big-endian {own_name} (`{descriptor}`), and not little-endian; {help}"))
        }
        _ => Err(format!("holds {name} (`{}`), and not {own_name} (`{own}`); {help}", cut(descriptor))),
    }
}

/// Text from a file as one line of a report: not too long, and without control characters.
fn cut(text: &str) -> String {
    const MOST: usize = 160;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, "?");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Writes an array so that `np.load` reads it.
pub fn write<T: WritableElement + Clone, D: Dimension>(path: &Path, array: ArrayView<'_, T, D>) -> Result<(), String> {
    let error = |e: &dyn std::fmt::Display| format!("cannot write `{}`: {e}", path.display());
    let mut file = BufWriter::new(File::create(path).map_err(|e| error(&e))?);
    array.as_standard_layout().write_npy(&mut file).map_err(|e| error(&e))?;
    file.flush().map_err(|e| error(&e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pl::ndarray::{Array2, Array3};

    const CHUNKS: &str = "[P, 1, P * SIZE]";

    fn fixture(name: &str) -> Result<ArrayD<f32>, String> {
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/npy").join(name), CHUNKS)
            .map_err(|e| e.replace(&format!("{}/tests/npy/", env!("CARGO_MANIFEST_DIR")), ""))
    }

    #[test]
    fn what_numpy_wrote() {
        let x = fixture("p4_size8.npy").unwrap();
        assert_eq!(x.shape(), [4, 1, 32]);
        assert_eq!(x[[2, 0, 5]], 205.0);
        assert_eq!(fixture("version2.npy").unwrap(), x);
    }

    #[test]
    fn what_is_refused() {
        let error = |name: &str| fixture(name).unwrap_err();
        assert_eq!(error("f64.npy"), "`f64.npy` holds float64 (`<f8`), and not float32 (`<f4`); use `x.astype('<f4')`");
        assert_eq!(
            error("big_endian.npy"),
            "`big_endian.npy` holds big-endian float32 (`>f4`), and not little-endian; use `x.astype('<f4')`"
        );
        assert_eq!(
            error("fortran.npy"),
            "`fortran.npy` is in Fortran order, and not in C order; use `np.ascontiguousarray(x)` before `np.save`"
        );
        assert_eq!(
            error("two_axes.npy"),
            "`two_axes.npy` has shape [4, 32], and not 3 axes [P, 1, P * SIZE]; use `x.reshape(P, 1, -1)`"
        );
        assert_eq!(
            error("truncated.npy"),
            "`truncated.npy` is damaged: its header promises f32 of shape [4, 1, 32], and 384 bytes of data follow"
        );
        assert!(
            error("structured.npy").starts_with("`structured.npy` holds another type (`["),
            "{}",
            error("structured.npy")
        );
        assert!(error("not_npy.txt").starts_with("`not_npy.txt` is not a .npy file: "), "{}", error("not_npy.txt"));
        assert!(error("missing.npy").starts_with("cannot open `missing.npy`: "), "{}", error("missing.npy"));
    }

    /// What is in the file is not echoed at length, nor does it reach the terminal's controls.
    #[test]
    fn garbage() {
        let file = |header: &str| {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
            bytes.extend(header.as_bytes());
            bytes
        };
        let long = "x".repeat(60_000);
        for header in [
            format!("{long}\n"),
            format!("\u{1b}[31m{long}\n"),
            format!("{{'{long}': 1}}\n"),
            format!("{{'descr': '{long}', 'fortran_order': False, 'shape': (1,)}}\n"),
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({})}}\n", "1, ".repeat(9_000)),
        ] {
            let error = parse::<f32>(&*file(&header), &Shape::new(CHUNKS)).unwrap_err();
            assert!(error.len() < 400 && error.contains('…') && !error.contains(char::is_control), "{error}");
        }
    }

    #[test]
    fn round_trip() {
        let path = std::env::temp_dir().join(format!("pl-npy-{}.npy", std::process::id()));
        let x = Array3::from_shape_fn((2, 1, 6), |(r, _, i)| (100 * r + i) as f32);
        // A view whose elements do not lie in C order is written in C order.
        let mut transposed = x.clone();
        transposed.swap_axes(0, 2);
        write(&path, transposed.view()).unwrap();
        assert_eq!(read::<f32>(&path, "[A, B, C]").unwrap(), transposed.into_dyn());
        let counts = Array2::from_shape_fn((2, 3), |(r, i)| r as i32 - i as i32);
        write(&path, counts.view()).unwrap();
        assert_eq!(read::<i32>(&path, "[P, N]").unwrap(), counts.into_dyn());
        let error = read::<f32>(&path, "[P, N]").unwrap_err();
        assert!(error.ends_with("holds int32 (`<i4`), and not float32 (`<f4`); use `x.astype('<f4')`"), "{error}");
        std::fs::remove_file(&path).unwrap();
        assert!(
            write(Path::new("/nowhere/y.npy"), x.view()).unwrap_err().starts_with("cannot write `/nowhere/y.npy`: ")
        );
    }
}
