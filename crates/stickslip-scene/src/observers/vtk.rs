//! VTK's PolyData as a file: XML for the layout, all numbers behind it as they are.

use super::{OutputError, write_whole};
use std::path::Path;

/// Points, or surfaces of polygons, with fields.
#[derive(Default)]
pub struct PolyData {
    pub points: Vec<[f64; 3]>,
    /// Polygons by the numbers of their corners; without any, each point is a cell of its own.
    pub polygons: Vec<Vec<usize>>,
    /// Name, components and values of what points have.
    pub point_fields: Vec<Field>,
    /// The same of polygons.
    pub cell_fields: Vec<Field>,
}

/// A name, how many numbers each has, and all of them.
pub struct Field {
    pub name: &'static str,
    pub components: usize,
    pub values: Vec<f64>,
}

impl Field {
    pub fn scalars(name: &'static str, values: impl Iterator<Item = f64>) -> Self {
        Field { name, components: 1, values: values.collect() }
    }

    pub fn vectors(name: &'static str, values: impl Iterator<Item = [f64; 3]>) -> Self {
        Field { name, components: 3, values: values.flatten().collect() }
    }
}

/// The layout, and the numbers behind it.
#[derive(Default)]
struct Writer {
    xml: String,
    data: Vec<u8>,
}

impl Writer {
    fn array(
        &mut self,
        kind: &str,
        name: &str,
        components: usize,
        bytes: impl ExactSizeIterator<Item = [u8; 8]>,
    ) {
        let offset = self.data.len();
        self.xml += &format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"appended\" \
             offset=\"{offset}\"/>\n"
        );
        self.data.extend((8 * bytes.len() as u64).to_le_bytes());
        self.data.extend(bytes.flatten());
    }

    fn floats(&mut self, name: &str, components: usize, values: &[f64]) {
        self.array("Float64", name, components, values.iter().map(|value| value.to_le_bytes()));
    }

    fn integers(&mut self, name: &str, values: &[usize]) {
        self.array("Int64", name, 1, values.iter().map(|value| (*value as i64).to_le_bytes()));
    }

    fn fields(&mut self, tag: &str, fields: &[Field]) {
        self.xml += &format!("<{tag}>\n");
        fields.iter().for_each(|field| self.floats(field.name, field.components, &field.values));
        self.xml += &format!("</{tag}>\n");
    }

    fn cells(&mut self, tag: &str, cells: &[Vec<usize>]) {
        self.xml += &format!("<{tag}>\n");
        let ends: Vec<usize> = cells
            .iter()
            .scan(0, |end, cell| {
                *end += cell.len();
                Some(*end)
            })
            .collect();
        self.integers("connectivity", &cells.concat());
        self.integers("offsets", &ends);
        self.xml += &format!("</{tag}>\n");
    }
}

impl PolyData {
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        let mut writer = Writer::default();
        let singles: Vec<Vec<usize>> = (0..self.points.len()).map(|k| vec![k]).collect();
        let (verts, polys) =
            if self.polygons.is_empty() { (&singles[..], &[][..]) } else { (&[][..], &self.polygons[..]) };
        writer.xml += &format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n",
            self.points.len(),
            verts.len(),
            polys.len()
        );
        writer.fields("PointData", &self.point_fields);
        writer.fields("CellData", &self.cell_fields);
        writer.xml += "<Points>\n";
        writer.floats("Points", 3, &self.points.concat());
        writer.xml += "</Points>\n";
        writer.cells("Verts", verts);
        writer.cells("Polys", polys);
        writer.xml += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        let mut bytes = writer.xml.into_bytes();
        bytes.extend(writer.data);
        bytes.extend(b"\n</AppendedData>\n</VTKFile>\n");
        write_whole(path, &bytes)
    }
}

/// The list of all files of a series and their times.
pub fn write_series(path: &Path, files: impl Iterator<Item = (f64, String)>) -> Result<(), OutputError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n",
    );
    for (time, file) in files {
        text += &format!("<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>\n");
    }
    text += "</Collection>\n</VTKFile>\n";
    write_whole(path, text.as_bytes())
}
