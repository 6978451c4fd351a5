import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readChanges } from './changes.mjs'
import { prepareRelease } from './release.mjs'

let root
const read = (path) => readFileSync(join(root, path), 'utf8')
const write = (path, text) => writeFileSync(join(root, path), text)
const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })
function commit() {
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'State')
}
function prepare(version, testUpgrade = () => {}) {
  const generated = []
  prepareRelease({
    root,
    version,
    testUpgrade,
    generate: () => generated.push(JSON.parse(read('package.json')).version),
  })
  return generated
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'medloom-release-'))
  mkdirSync(join(root, 'changes'))
  git('init', '-q')
  write('package.json', '{ "name": "a", "version": "0.2.0" }')
  write(
    'package-lock.json',
    '{ "version": "0.2.0", "packages": { "": { "version": "0.2.0" }, "node_modules/b": { "version": "0.2.0" } } }',
  )
  write('CHANGELOG.md', '# Changelog\n\nIntroduction.\n\n## 0.2.0\n\n### Data\n\n- Old.\n')
  write('changes/README.md', 'The form.\n')
  write('changes/undo.page.md', 'A deletion can be undone.\n')
  write('changes/dicom.data.md', 'DICOM is read ([guide](docs/guides/data.md)).\n')
  write('changes/zoom.page.md', 'Images are enlarged.\n')
  commit()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('a release', () => {
  it('changes nothing if a data folder of an earlier release does not open', () => {
    const failing = () => {
      throw new Error('BROKEN')
    }
    expect(() => prepare('0.3.0', failing)).toThrow('BROKEN')
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })).toBe('')
  })

  it('moves the changes to the changelog by group, and sets the version before files are generated', () => {
    expect(prepare('0.3.0')).toEqual(['0.3.0'])
    expect(read('CHANGELOG.md')).toBe(
      [
        '# Changelog\n\nIntroduction.\n',
        '## 0.3.0\n',
        '### Data\n\n- DICOM is read ([guide](docs/guides/data.md)).\n',
        '### Page\n\n- A deletion can be undone.\n- Images are enlarged.\n',
        '## 0.2.0\n\n### Data\n\n- Old.\n',
      ].join('\n'),
    )
    expect(existsSync(join(root, 'changes/undo.page.md'))).toBe(false)
    expect(existsSync(join(root, 'changes/README.md'))).toBe(true)
    expect(JSON.parse(read('package.json'))).toEqual({ name: 'a', version: '0.3.0' })
    expect(JSON.parse(read('package-lock.json'))).toEqual({
      version: '0.3.0',
      packages: { '': { version: '0.3.0' }, 'node_modules/b': { version: '0.2.0' } },
    })
  })

  it.each([
    [
      'a version that is not later',
      '0.2.0',
      () => {},
      'is not a version after 0.2.0. Name one such as 0.3.0.',
    ],
    ['an earlier version', '0.1.9', () => {}, 'is not a version after 0.2.0'],
    ['no version', '', () => {}, 'is not a version after 0.2.0'],
    ['a changed working tree', '0.3.0', () => write('new.txt', ''), 'The working tree has changes'],
    [
      'no change',
      '0.3.0',
      () => {
        git('rm', '-q', 'changes/undo.page.md', 'changes/zoom.page.md', 'changes/dicom.data.md')
        commit()
      },
      'contains no change',
    ],
  ])('with %s is refused and writes nothing', (_, version, arrange, message) => {
    arrange()
    const before = read('CHANGELOG.md')
    expect(() => prepare(version)).toThrow(message)
    expect(read('CHANGELOG.md')).toBe(before)
    expect(read('package.json')).toContain('0.2.0')
  })
})

describe('a change', () => {
  it.each([
    ['undo.md', 'It is undone.', 'the name must be SUBJECT.GROUP.md'],
    ['undo.pages.md', 'It is undone.', 'the name must be SUBJECT.GROUP.md'],
    ['undo.page.md', '- It is undone.', 'one sentence in one line'],
    ['undo.page.md', 'It is\nundone.', 'one sentence in one line'],
    ['undo.page.md', `${'word '.repeat(26)}end.`, 'has 27 words; shorten it to 25'],
  ])('%s: %j is refused', (name, text, message) => {
    write(`changes/${name}`, text)
    expect(() => readChanges(join(root, 'changes'))).toThrow(message)
  })

  it('in this repository has the form of its README', () => {
    expect(() => readChanges(resolve(import.meta.dirname, '../../changes'))).not.toThrow()
  })
})
