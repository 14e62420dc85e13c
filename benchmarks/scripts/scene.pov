// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scene for povray with what it spends its time on: hundreds of objects in a
// hierarchy, reflection and refraction, textures made by noise, solids cut from
// each other, equations of the fourth degree, a mesh, an area light. It includes
// no other file, and nothing in it is left to chance.

#version 3.7;
global_settings { assumed_gamma 1.0 max_trace_level 6 }

camera { location <0, 5.5, -13> look_at <0, 1.2, 0> angle 45 }

background { rgb <0.35, 0.5, 0.75> }

light_source { <20, 30, -20> rgb 0.8 }
light_source {
  <-12, 14, -6> rgb 0.6
  area_light <3, 0, 0>, <0, 0, 3>, 3, 3
  adaptive 1
}

plane {
  y, 0
  texture {
    pigment { checker rgb <0.8, 0.75, 0.7> rgb <0.25, 0.3, 0.3> scale 1.3 }
    normal { bumps 0.15 scale 0.4 }
    finish { reflection 0.15 diffuse 0.7 }
  }
}

#declare Stone = texture {
  pigment {
    granite
    turbulence 0.4
    color_map {
      [0.0 rgb <0.5, 0.45, 0.4>]
      [0.6 rgb <0.8, 0.7, 0.6>]
      [1.0 rgb <0.3, 0.25, 0.25>]
    }
  }
  normal { wrinkles 0.4 scale 0.3 }
  finish { diffuse 0.8 specular 0.2 }
}

#declare Glass = material {
  texture { pigment { rgbt <0.9, 1, 0.95, 0.9> } finish { reflection 0.1 specular 0.9 } }
  interior { ior 1.5 }
}

// A spiral of balls.
#declare Seed = seed(11);
#declare Number = 0;
#while (Number < 240)
  #declare Angle = Number * 0.35;
  #declare Radius = 2.2 + Number * 0.022;
  sphere {
    <Radius * cos(Angle), 0.25 + 0.2 * sin(Number), Radius * sin(Angle)>,
    0.16 + 0.12 * rand(Seed)
    pigment { rgb <rand(Seed), rand(Seed), rand(Seed)> }
    finish { specular 0.6 reflection 0.2 * rand(Seed) }
  }
  #declare Number = Number + 1;
#end

// A tower cut out of solids.
difference {
  union {
    cylinder { <0, 0, 0>, <0, 2.6, 0>, 1.1 }
    torus { 1.1, 0.22 translate <0, 2.5, 0> }
    torus { 1.1, 0.22 translate <0, 0.2, 0> }
  }
  cylinder { <0, -1, 0>, <0, 4, 0>, 0.75 }
  #declare Number = 0;
  #while (Number < 6)
    box { <-0.2, 0.6, -2>, <0.2, 1.8, 2> rotate <0, 30 * Number, 0> }
    #declare Number = Number + 1;
  #end
  texture { Stone }
}

sphere { <0, 3.5, 0>, 0.9 material { Glass } }
torus { 0.8, 0.25 rotate <70, 20, 0> translate <-3.6, 1.4, -2> material { Glass } }

blob {
  threshold 0.5
  sphere { <0, 0, 0>, 1, 1.2 }
  sphere { <0.7, 0.4, 0>, 0.9, 1 }
  sphere { <-0.5, 0.7, 0.3>, 0.8, 1 }
  cylinder { <0, 0, 0>, <0, 1.5, 0.4>, 0.5, 0.8 }
  translate <3.6, 1, -2>
  pigment { marble turbulence 0.7 color_map { [0 rgb <0.2, 0.1, 0.5>] [1 rgb <0.9, 0.8, 1>] } }
  finish { specular 0.7 reflection 0.1 }
}

// A hill of triangles.
#declare Step = 0.25;
#macro Height(X, Z) (0.9 * exp(-(X * X + Z * Z) / 3) + 0.12 * sin(4 * X) * cos(3 * Z)) #end
mesh {
  #declare X = -3;
  #while (X < 3)
    #declare Z = -2;
    #while (Z < 2)
      #declare A = <X, Height(X, Z), Z>;
      #declare B = <X + Step, Height(X + Step, Z), Z>;
      #declare C = <X, Height(X, Z + Step), Z + Step>;
      #declare D = <X + Step, Height(X + Step, Z + Step), Z + Step>;
      triangle { A, B, C }
      triangle { D, C, B }
      #declare Z = Z + Step;
    #end
    #declare X = X + Step;
  #end
  texture { Stone }
  translate <0, 0.3, 7>
  scale <2.2, 2, 1>
}
