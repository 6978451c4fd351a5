import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { LIMITS } from '@medloom/contracts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testPython } from '../../../../testing/python.js'
import { writeZip } from '../../../../testing/write-zip.js'
import { namedFiles } from './named-files.js'

let root: string
let folder: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-named-')))
})
beforeEach(() => {
  folder = mkdtempSync(join(root, 'set-'))
})

function files(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
}
async function named(content: string | Buffer, encoding = 'auto', name = 'table'): Promise<string[]> {
  const table = join(folder, name)
  writeFileSync(table, content)
  return (await namedFiles(table, folder, encoding, [root])).map((path) => relative(folder, path))
}

describe('a CSV', () => {
  test.each([
    ['commas', 'id,image\n1,images/a.png\n'],
    ['semicolons, and a comma in the header', 'id;size, mm;image\r\n1;2;images/a.png\r\n'],
    ['tabs, no line end', 'id\timage\n1\timages/a.png'],
    ['quotes around everything', '"id","image"\n"1","images/a.png"\n'],
    ['a quote inside a plain cell', 'note,image\n5" left,images/a.png\n'],
    ['a line break and quotes inside a cell', 'note,image\n"5""\n, left",images/a.png\n'],
    ['blanks around the cell', 'id, image\n1, images/a.png \n'],
    ['a dot before it', 'image\n./images/a.png\n'],
    ['a way around', 'image\nimages/../images/a.png\n'],
    ['a slice of a volume', 'image\nimages/a.png#slice=2of3\n'],
    ['capitals, which some file systems ignore', 'image\nIMAGES/A.png\n'],
    ['an image beyond a long text', `note,image\n"${'x'.repeat(300_000)}",images/a.png\n`],
    ['an image beyond the first piece of the file', `n,image\n${'1,\n'.repeat(100_000)}2,images/a.png\n`],
    ['JSON in its first column', '["id"];image\n[1];images/a.png\n'],
  ])('with %s', async (_, content) => {
    files('images/a.png', 'images/b.png')
    expect(await named(content)).toEqual(['images/a.png'])
  })

  test('names files by absolute paths, above its folder, in links, and without an extension', async () => {
    files('scans/0001', '0002', 'tables/note')
    symlinkSync(join(folder, 'scans'), join(folder, 'tables', 'linked'))
    const table = join(folder, 'tables', 'table.csv')
    writeFileSync(table, `scan\n ${join(folder, 'scans/0001')}\n../0002\nlinked/0001\n`)
    const found = await namedFiles(table, dirname(table), 'auto', [root])
    expect(found.map((path) => relative(folder, path))).toEqual(['0002', 'scans/0001', 'tables/linked/0001'])
  })

  test('names nothing outside the roots, in any notation', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-outside-')))
    writeFileSync(join(outside, 'a.png'), '')
    symlinkSync(outside, join(folder, 'way-out'))
    expect(await named(`image\n${outside}/a.png\nway-out/a.png\n../../../etc/hostname\n`)).toEqual([])
    expect(await named(`image\n${outside}\n../../../etc\n/\n`)).toEqual([])
    symlinkSync(folder, join(outside, 'way-in'))
    files('b.png')
    expect(await named(`image\n${outside}/way-in/b.png\n`)).toEqual(['b.png'])
  })

  test.each([
    ['a folder', 'scans/s1'],
    ['a folder with its slash', 'scans/s1/'],
    ['a folder of several series', 'scans/s1#series=1a2b3c4d'],
    ['a slice of a series', 'scans/s1#series=1a2b3c4d#slice=2of3&axis=coronal'],
    ['a folder from elsewhere', './scans/s1'],
    ['the way to a folder', 'scans/s2/../s1'],
  ])('names the files of a series by its folder: %s', async (_, cell) => {
    files(
      'scans/s1/1.dcm',
      'scans/s1/2',
      'scans/s1/.hidden',
      'scans/s1/deeper/3.dcm',
      'scans/s2/1.dcm',
      'a.dcm',
    )
    symlinkSync(join(folder, 'scans/s1/2'), join(folder, 'scans/s1/linked'))
    symlinkSync(join(folder, 'a.dcm'), join(folder, 'scans/s1/out'))
    const found = ['scans/s1/1.dcm', 'scans/s1/2', 'scans/s1/linked']
    expect(await named(`image,label\n${cell},1\n${cell},0\n`)).toEqual(found)
    expect(await named(`image,label\n${join(folder, cell)},1\n`)).toEqual(found)
  })

  test('with too many columns names nothing after the limit', async () => {
    files('a.png')
    const wide = `${'x;y,'.repeat(LIMITS.table_columns - 1)}x;y`
    expect(await named(`${wide}\na.png\n`)).toEqual(['a.png'])
    expect(await named(`${wide},z;z\na.png\n`)).toEqual([])
  })

  test('names the files of its own folder by a dot, and nothing by a blank cell', async () => {
    files('1.dcm', 's/2.dcm')
    expect(await named('image,label\n ,1\n"",0\n#slice=1of3,1\n')).toEqual([])
    expect(await named('image,label\n.,1\n')).toEqual(['1.dcm', 'table'])
    expect(await named('image,label\ns/..,1\n')).toEqual(['1.dcm', 'table'])
  })

  const utf16 = Buffer.from('\uFEFFimage\nä/表.png\n', 'utf16le')
  test.each([
    ['auto', 'ä/表.png', Buffer.from('image\nä/表.png\n')],
    ['auto', 'ä/表.png', Buffer.from('\uFEFFimage\nä/表.png\n')],
    ['auto', 'ä/表.png', utf16],
    ['auto', 'ä/表.png', Buffer.from(utf16).swap16()],
    ['utf-16', 'ä/表.png', utf16.subarray(2)],
    ['utf-16', 'ä/表.png', Buffer.from(utf16).swap16()],
    ['utf-8', 'ä/€.png', Buffer.from('image\n\xe4/\x80.png\n', 'latin1')],
    ['cp1252', 'ä/€.png', Buffer.from('image\n\xe4/\x80.png\n', 'latin1')],
    ['iso-8859-1', 'ä/\x80.png', Buffer.from('image\n\xe4/\x80.png\n', 'latin1')],
    ['iso-8859-15', 'ä/€.png', Buffer.from('image\n\xe4/\xa4.png\n', 'latin1')],
    ['gb18030', '丂/中.png', Buffer.from('image\n\x81\x40/\xd6\xd0.png\n', 'latin1')],
    ['shift_jis', '表/〜.png', Buffer.from('image\n\x95\x5c/\x81\x60.png\n', 'latin1')],
    ['euc-kr', '가/한.png', Buffer.from('image\n\xb0\xa1/\xc7\xd1.png\n', 'latin1')],
    ['auto', 'e\u0301.png', Buffer.from('image\n\u00e9.png\n')],
  ])('in %s with %s', async (encoding, image, content) => {
    files(image)
    expect(await named(content, encoding)).toEqual([image])
  })
})

describe('a JSON document', () => {
  test.each([
    ['records', '[{"id": 1, "image": "images/a.png"}]'],
    ['columns', '{"id": [1], "image": ["images/a.png"]}'],
    ['a byte-order mark', '\uFEFF  [{"image": "images/a.png"}]'],
    ['escapes', String.raw`[{"image": "images\/\u0061.png"}]`],
    ['an escaped quote before', String.raw`[{"note": "5\" \\", "image": "images/a.png"}]`],
    ['an image beyond a long text', `[{"note": "${'x'.repeat(300_000)}", "image": "images/a.png"}]`],
  ])('with %s', async (_, content) => {
    files('images/a.png', 'images/b.png')
    expect(await named(content, 'cp1252')).toEqual(['images/a.png'])
  })

  test('with numbers that are names of files', async () => {
    files('1001', '1002', '1003')
    expect(await named('[{"scan": 1001}, {"scan": 1003}]')).toEqual(['1001', '1003'])
  })
})

describe('a workbook', () => {
  const strings = (xml: string) => ({ 'xl/sharedStrings.xml': `<sst xmlns="x">${xml}</sst>` })
  const sheet = (cells: string) => ({
    'xl/worksheets/sheet1.xml': `<worksheet><row>${cells}</row></worksheet>`,
  })
  test.each<[string, Record<string, string | Buffer>]>([
    ['shared strings', strings('<si><t>image</t></si><si><t xml:space="preserve"> images/a.png</t></si>')],
    ['prefixes', strings('<x:si><x:t>images/a.png</x:t></x:si>')],
    ['formatted strings', strings('<si><r><rPr><b/></rPr><t>images</t></r><r><t>/a.png</t></r></si>')],
    [
      'readings',
      strings('<si><r><t>images</t></r><rPh sb="0" eb="1"><t>x</t></rPh><r><t>/a.png</t></r></si>'),
    ],
    ['inline strings', sheet('<c t="inlineStr"><is><t>images/a.png</t></is></c>')],
    ['values of formulas', sheet('<c t="str"><f>B1&amp;".png"</f><v>images/a.png</v></c>')],
    ['entities', strings('<si><t>images&#47;&#x61;.png</t></si>')],
    ['literal text', strings('<si><t><![CDATA[images/a.png]]></t></si>')],
    ['UTF-16', { 'xl/sharedStrings.xml': Buffer.from('\uFEFF<si><t>images/a.png</t></si>', 'utf16le') }],
    ['much before it', strings(`${'<si><t>word</t></si>'.repeat(20_000)}<si><t>images/a.png</t></si>`)],
  ])('with %s', async (_, parts) => {
    files('images/a.png', 'others/b.png')
    expect(await named(writeZip(parts))).toEqual(['images/a.png'])
    for (const zip64 of [false, true])
      expect(await named(writeZip(parts, { prefix: 'bytes before', suffix: 'bytes after', zip64 }))).toEqual([
        'images/a.png',
      ])
  })

  test('with names that look like escapes, and with numbers', async () => {
    files('tile_x1024_y7.png', '1001')
    const parts = { ...strings('<si><t>tile_x005F_x1024_y7.png</t></si>'), ...sheet('<c><v>1001</v></c>') }
    expect(await named(writeZip(parts))).toEqual(['1001', 'tile_x1024_y7.png'])
  })

  test('that declares a huge size, or exceeds its declared size, is not unpacked', async () => {
    files('a.png')
    const parts = strings(`${'<si><t>word</t></si>'.repeat(1000)}<si><t>a.png</t></si>`)
    expect(await named(writeZip(parts, { claims: 2 ** 31 }))).toEqual([])
    expect(await named(writeZip(parts, { claims: 500 }))).toEqual([])
  })

  test('that is damaged or truncated names nothing', async () => {
    files('a.png')
    const whole = writeZip(strings('<si><t>a.png</t></si>'))
    expect(await named(whole)).toEqual(['a.png'])
    expect(await named(whole.subarray(0, -30))).toEqual([])
    expect(await named(whole.fill(0xff, 30, 60))).toEqual([])
  })

  const python = testPython()
  test.skipIf(!python)('written by the library of the trainer', async () => {
    files('images/a.png', 'images/ä.png', 'images/c.png')
    const program = `import openpyxl, sys
for path, streamed in (("plain.xlsx", False), ("streamed.xlsx", True)):
    book = openpyxl.Workbook(write_only=streamed)
    sheet = book.create_sheet("s") if streamed else book.active
    for row in (("image",), ("images/a.png",), ("images/ä.png",)): sheet.append(row)
    book.save(path)`
    execFileSync(python ?? '', ['-c', program], { cwd: folder })
    for (const name of ['plain.xlsx', 'streamed.xlsx'])
      expect(
        (await namedFiles(join(folder, name), folder, 'auto', [root])).map((path) => relative(folder, path)),
      ).toEqual(['images/a.png', 'images/ä.png'])
  })
})

test('a missing table, or a folder, names nothing', async () => {
  expect(await namedFiles(join(folder, 'none.csv'), folder, 'auto', [root])).toEqual([])
  expect(await namedFiles(folder, folder, 'auto', [root])).toEqual([])
})
