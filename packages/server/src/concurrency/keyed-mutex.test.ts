import { expect, it } from 'vitest'
import { KeyedMutex } from './keyed-mutex.js'

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms))

it('runs tasks with the same key in order, whatever their duration or result', async () => {
  const turns = new KeyedMutex()
  const seen: string[] = []
  const task = (name: string, ms: number) => async () => {
    seen.push(`${name} begins`)
    await pause(ms)
    seen.push(`${name} ends`)
    return name
  }
  const failing = turns.run('a', async () => {
    await task('first', 20)()
    throw new Error('full')
  })
  const results = Promise.all([turns.run('a', task('second', 5)), turns.run('a', task('third', 0))])
  await expect(failing).rejects.toThrow('full')
  expect(await results).toEqual(['second', 'third'])
  expect(seen).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

it('lets tasks with another key proceed', async () => {
  const turns = new KeyedMutex()
  let open = () => {}
  const held = turns.run('a', () => new Promise<void>((resume) => (open = resume)))
  expect(await turns.run('b', async () => 'done')).toBe('done')
  open()
  await held
})
