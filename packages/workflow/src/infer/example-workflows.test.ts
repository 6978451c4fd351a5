import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { NODES, readWorkflow, type Workflow, writeWorkflow } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { validate } from '../validate/validate.js'
import { infer } from './infer.js'

const folder = resolve(import.meta.dirname, '../../../../examples/workflows')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const text = (file: string) => readFileSync(resolve(folder, file), 'utf8')

function read(file: string): Workflow {
  const checked = readWorkflow(JSON.parse(text(file)))
  if (!checked.ok) throw new Error(JSON.stringify(checked.issues))
  return checked.value
}

describe('the example workflows', () => {
  it('cover what people start from', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'external-test.json',
        'first-example.json',
        'fusion.json',
        'hyper-parameters.json',
        'image-only.json',
        'multi-view.json',
        'predict-cases.json',
        'report.json',
        'resume.json',
        'table-only.json',
      ]),
    )
  })

  it('place every node of the catalog but the reading of a bare folder of images', () => {
    const placed = new Set(files.flatMap((file) => read(file).nodes.map(({ type }) => type)))
    expect(Object.keys(NODES).filter((type) => !placed.has(type))).toEqual(['LoadImage'])
  })

  it('have one line each in the README of their folder', () => {
    const table = text('README.md').match(/^\| `\S+\.json` \|/gm) ?? []
    expect(table.map((line) => line.slice(3, -3)).sort()).toEqual([...files].sort())
  })

  describe.each(files)('%s', (file) => {
    it('has no error and no warning', () => {
      const validated = validate(read(file))
      expect([...validated.issues, ...infer(validated).issues]).toEqual([])
    })

    it('is written as an export writes it, byte for byte', () => {
      expect(writeWorkflow(read(file))).toBe(text(file))
    })

    it('describes its purpose', () => {
      const { name, description, tags } = read(file).metadata
      expect(name.length).toBeGreaterThan(5)
      expect(description.length).toBeGreaterThan(40)
      expect(tags.length).toBeGreaterThan(0)
    })

    it('runs from left to right, without overlapping nodes', () => {
      const { nodes, connections } = read(file)
      const place = new Map(nodes.map(({ id, position }) => [id, position]))
      for (const { id, source, target } of connections)
        expect((place.get(source)?.x ?? 0) < (place.get(target)?.x ?? 0), id).toBe(true)
      const apart = (a: { x: number; y: number }, b: { x: number; y: number }) =>
        Math.abs(a.x - b.x) >= 240 || Math.abs(a.y - b.y) >= 80
      for (const [i, a] of nodes.entries())
        for (const b of nodes.slice(i + 1))
          expect(apart(a.position, b.position), `${a.id}, ${b.id}`).toBe(true)
    })
  })
})
