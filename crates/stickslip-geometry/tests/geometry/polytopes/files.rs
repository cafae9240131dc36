//! OBJ and STL files: what was written comes back, and what is broken is named.

use std::path::PathBuf;
use stickslip_geometry::shape::{Mesh, Polytope};

/// A file that goes away with the test.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("stickslip-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const CUBE: &str = "# a cube\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf -6 -5 -1 -2\nf 2 3 7 6\nf 1 5 8 4\n";

fn triangles() -> Vec<[[f32; 3]; 3]> {
    let file = File::new("triangles.obj", CUBE.as_bytes());
    let mesh = Mesh::read(&file.0).unwrap();
    (0..mesh.facets().len()).map(|f| mesh.corners(f).map(|x| [x.x as f32, x.y as f32, x.z as f32])).collect()
}

fn ascii() -> String {
    let mut text = String::from("solid cube\n");
    for t in triangles() {
        text += "facet normal 0 0 0\n outer loop\n";
        for [x, y, z] in t {
            text += &format!("  vertex {x} {y} {z:e}\n");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

fn binary() -> Vec<u8> {
    // some writers begin a binary file with the word of a text
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend(12u32.to_le_bytes());
    for t in triangles() {
        bytes.extend([0; 12]);
        bytes.extend(t.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn a_cube_comes_back_from_every_format() {
    for file in [
        File::new("cube.obj", CUBE.as_bytes()),
        File::new("ascii.stl", ascii().as_bytes()),
        File::new("binary.STL", &binary()),
    ] {
        let cube = Polytope::read(&file.0).unwrap();
        assert_eq!((cube.vertices().len(), cube.topology().faces.len()), (8, 6));
        let mesh = Mesh::read(&file.0).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.facets().len()), (8, 12));
        // every facet looks outward
        for (f, normal) in mesh.normals().iter().enumerate() {
            let away = mesh.corners(f)[0] - stickslip_geometry::space::Vector::<3>::repeat(0.5);
            assert!(away.dot(normal) > 0.0, "facet {f}");
        }
    }
}

#[test]
fn what_is_broken_is_named() {
    let short = &binary()[..400];
    let mut nan = binary();
    nan[84 + 50 * 3 + 12..84 + 50 * 3 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    let cases: [(&str, &[u8], &str); 15] = [
        ("a.obj", b"v 0 0 0\nv 1 x 0\n", "line 2: \"x\" is no number"),
        ("b.obj", b"v 0 0\n", "line 1: 2 coordinates: give three"),
        ("c.obj", b"v 0 0 nan\n", "line 1: coordinate nan is not finite"),
        ("d.obj", b"v 0 0 0\n\nf 1 2 3\n", "line 3: vertex 2 of 1 read so far"),
        ("e.obj", b"v 0 0 0\nf 0 1 1\n", "line 2: vertex 0 of 1 read so far"),
        ("f.obj", b"v 0 0 0\nf 1 1\n", "line 2: a face of 2 corners: give at least three"),
        ("g.obj", b"v 0 0 0\nf 1 a 1\n", "line 2: \"a\" is no vertex"),
        ("h.obj", b"", "there are no faces"),
        ("i.obj", b"v 0 0 0\n\xff\xfe\n", "line 2: not a text"),
        (
            "j.stl",
            b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n",
            "line 4: the file ends inside the facet of line 2",
        ),
        ("k.stl", b"solid x\nvertex 0 0 0\n", "line 2: a vertex outside a facet"),
        ("l.stl", b"solid x\nfacet\nvertex 0 0 0\nendfacet\n", "line 4: a facet of 1 corners: give three"),
        ("m.stl", short, "solid"),
        ("n.stl", &nan, "triangle 4: a coordinate is not finite"),
        ("o.ply", b"ply\n", "the name ends with neither .obj nor .stl"),
    ];
    for (name, content, wanted) in cases {
        let file = File::new(name, content);
        let found = Mesh::read(&file.0).unwrap_err().to_string();
        assert!(found.contains(name), "{found}");
        assert!(name == "m.stl" || found.ends_with(wanted), "{found}");
        assert!(Polytope::read(&file.0).is_err());
    }
    let missing = std::env::temp_dir().join("stickslip-no-such-file.obj");
    assert!(Mesh::read(&missing).unwrap_err().to_string().contains("no-such-file"));
}
