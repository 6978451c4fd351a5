import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { refuseNodesFolder, writtenFolders } from './nodes-folder.js'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'medloom-nodes-folder-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const made = (...parts: string[]) => {
  const path = join(root, ...parts)
  mkdirSync(path, { recursive: true })
  return path
}
const linked = (target: string, name: string) => {
  const path = join(root, name)
  symlinkSync(target, path)
  return path
}
const refuse = (nodes: string, path: string) =>
  refuseNodesFolder(nodes, [{ path, title: 'the output folder' }])

test.each<[string, () => [nodes: string, written: string]]>([
  ['the same', () => [made('same'), made('same')]],
  ['inside it', () => [made('outputs', 'exports', 'nodes'), made('outputs')]],
  ['above it', () => [made('work'), made('work', 'outputs')]],
  ['a link into it', () => [linked(made('far', 'nodes'), 'link-to-nodes'), made('far')]],
  [
    'below what a link of the written folder leads to',
    () => [made('disk', 'nodes'), linked(made('disk'), 'link-to-disk')],
  ],
  ['above a folder that does not exist yet', () => [made('shared'), join(root, 'shared', 'later', 'study')]],
])('a folder of nodes that is %s is refused, with what to do', async (_, folders) => {
  await expect(refuse(...folders())).rejects.toMatchObject({
    message: expect.stringContaining('the output folder must not overlap'),
    remedy: expect.stringContaining('neither inside'),
  })
})

test.each<[string, (outputs: string) => string]>([
  ['a file that is written', (outputs) => join(made(outputs, 'exports'), 'table.csv')],
  ['a folder that is written', (outputs) => made(outputs)],
])(
  'a link in the folder of nodes that leads to %s is refused, also before the file is there',
  async (what, target) => {
    const [outputs, nodes] = [`written by ${what}`, `nodes linked to ${what}`]
    made(nodes, 'deep')
    linked(target(outputs), join(nodes, 'deep', 'node.py'))
    await expect(refuse(join(root, nodes), made(outputs))).rejects.toMatchObject({
      message: expect.stringContaining('points to the output folder'),
    })
  },
)

test.each<[string, string, () => [nodes: string, data: string, siteRoots: Record<string, string>]]>([
  [
    'the disk that the uploads of the data folder are linked to',
    'the folder uploads of the data folder',
    () => {
      const data = made('data of a service')
      linked(made('second disk', 'uploads'), join('data of a service', 'uploads'))
      return [made('second disk', 'uploads', 'study', 'nodes'), data, {}]
    },
  ],
  [
    'a root of the nodes of a cluster',
    '--site-root scans',
    () => [made('site', 'nodes'), made('data without links'), { scans: made('site') }],
  ],
])('a folder of nodes inside %s is refused', async (_, title, folders) => {
  const [nodes, data, siteRoots] = folders()
  const written = await writtenFolders({ data, outputs: made('own outputs'), siteRoots })
  await expect(refuseNodesFolder(nodes, written)).rejects.toThrow(`${title} must not overlap`)
})

test('a link in the folder of nodes to another location is accepted', async () => {
  const nodes = made('linked apart')
  linked(made('repository'), join('linked apart', 'node.py'))
  await expect(refuse(nodes, made('apart'))).resolves.toBeUndefined()
})

test('a folder next to it is accepted, even if the names begin alike', async () => {
  await expect(refuse(made('exports-nodes'), made('exports'))).resolves.toBeUndefined()
  await expect(refuseNodesFolder(null, [])).resolves.toBeUndefined()
})

test('a path that is not a folder is refused', async () => {
  await expect(refuse(join(root, 'none'), made('exports'))).rejects.toThrow('is not a folder')
})
