import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from './data-folder.js'

const temporary = () => mkdtempSync(join(tmpdir(), 'medloom-data-'))

test('it is private to its owner', async () => {
  const path = join(temporary(), 'a', 'b')
  const folder = await openDataFolder(path)
  expect(statSync(path).mode & 0o777).toBe(0o700)
  expect(folder.run('id').events(2)).toBe(join(folder.path, 'runs', 'id', 'events.2.jsonl'))
  await folder.close()
})

test('a second service is refused with the address of the first, until that one closes', async () => {
  const path = temporary()
  const first = await openDataFolder(path)
  await first.announce('http://127.0.0.1:8000')
  await expect(openDataFolder(path)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(/another service uses .*process \d+, http:\/\/127\.0\.0\.1:8000/),
  })
  await first.close()
  await (await openDataFolder(path)).close()
})

test('another process is refused too, and kill -9 releases the folder', async () => {
  const path = temporary()
  const lock = new URL('../database/lock.ts', import.meta.url).href
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `import { lockFolder } from ${JSON.stringify(lock)}
       const lock = lockFolder(${JSON.stringify(join(path, 'lock.db'))})
       console.log(lock ? 'held' : 'refused')
       setInterval(() => lock.release, 1000)`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [answer] = (await once(child.stdout, 'data')) as [Buffer]
  expect(String(answer).trim()).toBe('held')
  await expect(openDataFolder(path)).rejects.toThrow(/another service/)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await openDataFolder(path)).close()
})

test('an unusable folder is refused with the reason', async () => {
  const deep = join(temporary(), 'a'.repeat(250), 'b'.repeat(250))
  await expect(openDataFolder(deep)).rejects.toMatchObject({
    name: 'StartError',
    message: expect.stringContaining('too long for its database'),
  })
  const base = temporary()
  writeFileSync(join(base, 'file'), '')
  await expect(openDataFolder(join(base, 'file', 'data'))).rejects.toMatchObject({ name: 'StartError' })
  mkdirSync(join(base, 'data'))
  writeFileSync(join(base, 'data', 'runs'), '')
  await expect(openDataFolder(join(base, 'data'))).rejects.toMatchObject({ name: 'StartError' })
})
