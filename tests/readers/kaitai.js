// SPDX-License-Identifier: Apache-2.0
// Compiles formats/crivo.ksy to JavaScript and reads the files that are named: prints an array of what it found in each.
//     node kaitai.js crivo.ksy FILE...
'use strict';
const fs = require('fs');
const yaml = require('js-yaml');
const compiler = require('kaitai-struct-compiler');
const KaitaiStream = require('kaitai-struct/KaitaiStream');

async function parser(path) {
  const sources = await compiler.compile('javascript', yaml.load(fs.readFileSync(path, 'utf8')), null, false);
  const module = {exports: {}};
  const load = (name) => name.endsWith('KaitaiStream') ? KaitaiStream : require(name);
  new Function('module', 'exports', 'require', Object.values(sources)[0]).call({}, module, module.exports, load);
  const loaded = module.exports;
  return loaded.Crivo || loaded;
}

function contents(body) {
  if (body instanceof Uint8Array) return body.length;
  if (body.copies) return body.copies.map((c) => [c.sectionIndex, c.head.length, c.tail.length]);
  if (body.entries) return body.entries.map((e) => [e.name, e.value]);
  if (body.lists) return body.lists.map((l, i) => [body.heads[i].numFlips, l.added.length, l.bits.length]);
  return body.names.map((n, i) => [n.text, body.files[i].lenFile]);
}

function read(Crivo, path) {
  try {
    const file = new Crivo(new KaitaiStream(fs.readFileSync(path)));
    const {header, footer} = file;
    return {
      kind: header.kind, keys: header.numKeys, function: header.hashFunction, length: footer.lenFile,
      checksums: file.checksums.length,
      sections: file.sections.map((s) => [s.typeCode, s.ofsBody, s.lenBody, contents(s.body)]),
    };
  } catch (error) {
    return {refused: String(error.name)};
  }
}

parser(process.argv[2]).then((Crivo) => {
  console.log(JSON.stringify(process.argv.slice(3).map((path) => read(Crivo, path))));
});
