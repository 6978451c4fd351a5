import type { LogChunk } from '@medloom/contracts'
import { afterEach, expect, it, vi } from 'vitest'
import type { z } from 'zod'
import { printLog } from './logs.js'

afterEach(() => void vi.restoreAllMocks())

it('a log without its middle part is printed with a line that marks the gap, and followed to its end', async () => {
  const parts = new Map([
    [0, 'begin\n'],
    [1000, 'newer\nnewest\n'],
  ])
  const client = {
    async getJobLogs({ job_id, offset = 0 }: { job_id: string; offset?: number }) {
      const [start, text] = [...parts].find(([start, text]) => start + text.length > offset) ?? [offset, '']
      const from = Math.max(offset, start)
      const piece = text.slice(from - start)
      const chunk: z.infer<typeof LogChunk> = {
        job_id,
        offset: from,
        next_offset: from + piece.length,
        size: 1013,
        text: piece,
      }
      return chunk
    },
  }
  const [out, error] = [process.stdout, process.stderr].map((stream) => {
    const printed: string[] = []
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed.push(String(text))
      return true
    })
    return printed
  })
  expect(await printLog(client, 'job', 0)).toBe(1013)
  parts.set(1013, 'last\n')
  expect(await printLog(client, 'job', 1013)).toBe(1018)
  expect(out?.join('')).toBe('begin\nnewer\nnewest\nlast\n')
  expect(error?.join('')).toBe('... 994 bytes of the log are no longer stored ...\n')
})
