import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createContext } from '../../context.js'
import { buildProgram } from '../../program.js'
import { unpack } from './unpack.js'

const JOB = '3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f'
const FILES = {
  'model.onnx': 'weights',
  'README.md': 'text '.repeat(400),
  'test_case/cases.csv': '',
  MLmodel: '{}',
}
const requests: { url: string | undefined; body: string }[] = []
let content: Buffer
const server = createServer(async (request, response) => {
  let body = ''
  for await (const piece of request) body += piece
  requests.push({ url: request.url, body })
  if (request.method === 'POST') {
    const written = {
      model_id: 'resnet18_gated_001',
      job_id: JOB,
      file: 'exports/best.zip',
      format: 'Package',
    }
    const facts = { quantization: 'none', path: '/data/best.zip', sha256: 'd', size_bytes: content.length }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...written, ...facts, difference: 1e-7, warnings: [] }))
  } else response.end(content)
})
beforeEach(() => {
  requests.length = 0
})
beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(() => {
  vi.restoreAllMocks()
  server.close()
})

function medloom(...words: string[]): Promise<unknown> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const argv = ['node', 'medloom', ...words, '--url', url]
  return buildProgram(createContext(argv.slice(2))).parseAsync(argv)
}

/** A zip as the trainer writes it: text files are deflated, weights are stored. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let place = 0
  for (const [name, text] of Object.entries(files)) {
    const plain = Buffer.from(text)
    const method = name.endsWith('.onnx') ? 0 : 8
    const packed = method === 0 ? plain : deflateRawSync(plain)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(method, 4)
    facts.writeUInt32LE(crc32(plain), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(plain.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(place, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, rest, Buffer.from(name)]))
    locals.push(local)
    place += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(place, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}

const temporary = () => mkdtempSync(join(tmpdir(), 'medloom-package-'))
const read = (folder: string) =>
  Object.fromEntries(Object.keys(FILES).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

it('models package unpacks into a new or empty folder, and never into another one', async () => {
  content = zip(FILES)
  const folder = join(temporary(), 'lesion', 'model')
  await medloom('models', 'package', 'champion', '--folder', folder, '--quantization', 'int8')
  expect(requests.map(({ url }) => url)).toEqual([
    '/api/models/champion/export',
    `/api/training/${JOB}/files/exports/best.zip`,
  ])
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ format: 'Package', quantization: 'int8' })
  expect(read(folder)).toEqual(FILES)
  expect(readdirSync(folder)).not.toContain('.package.zip')
  await expect(medloom('models', 'package', 'champion', '--folder', folder)).rejects.toThrow('already exists')
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  await expect(medloom('models', 'package', 'champion', '--folder', file)).rejects.toThrow('already exists')
  expect(requests).toHaveLength(2)
  const empty = join(temporary(), 'empty')
  mkdirSync(empty)
  await medloom('models', 'package', 'champion', '--folder', empty)
  expect(read(empty)).toEqual(FILES)
})

it('nothing remains of a package that cannot be unpacked', async () => {
  content = zip(FILES).subarray(0, 300)
  const folder = join(temporary(), 'model')
  await expect(medloom('models', 'package', 'champion', '--folder', folder)).rejects.toThrow('incomplete')
  expect(existsSync(folder)).toBe(false)
})

it.each(['../outside', '/etc/outside', 'a/../../outside', 'a\\b'])(
  'a file %s is not written',
  async (name) => {
    const folder = temporary()
    writeFileSync(join(folder, 'a.zip'), zip({ [name]: 'x' }))
    await expect(unpack(join(folder, 'a.zip'), join(folder, 'in'))).rejects.toThrow('not a model package')
  },
)

it('a zip that Python writes is unpacked', async () => {
  const folder = temporary()
  const program = `import zipfile
with zipfile.ZipFile("a.zip", "w") as archive:
    archive.writestr("model.onnx", "weights")
    archive.writestr("README.md", "text " * 400, zipfile.ZIP_DEFLATED)
    archive.writestr("test_case/cases.csv", "", zipfile.ZIP_DEFLATED)
    archive.writestr("MLmodel", "{}", zipfile.ZIP_DEFLATED)`
  execFileSync('python3', ['-c', program], { cwd: folder })
  await unpack(join(folder, 'a.zip'), join(folder, 'in'))
  expect(read(join(folder, 'in'))).toEqual(FILES)
})
