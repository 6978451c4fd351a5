import { describe, expect, it } from 'vitest'
import { type Look, Stall } from './stall.js'

const AT = '2026-01-02T03:04:05.000Z'
const beat = (steps: number, patience_seconds = 60) => ({
  ...{
    process: 'process 7 on gpu-3',
    steps,
    doing: 'training, epoch 2, batch 14 of 200',
    doing_phrases: [{ code: 'doing_training' as const }],
    at: AT,
    patience_seconds,
  },
})
const look = (seconds: number, changes: Partial<Look> = {}): Look => ({
  ...{ state: 'running', heartbeat: beat(1), eventsRead: 100, seconds, time: AT },
  ...changes,
})

describe('a trainer', () => {
  it('is stalled once a step takes longer than the trainer allowed, and continues with the next', () => {
    const stall = new Stall()
    expect([0, 30, 60].map((seconds) => stall.see(look(seconds)))).toEqual([null, null, null])
    expect(stall.see(look(61))).toMatchObject({
      since: AT,
      doing: 'training, epoch 2, batch 14 of 200',
      doing_phrases: [{ code: 'doing_training' }],
      remedy: expect.stringContaining('stop the job; it can be resumed'),
    })
    expect(stall.see(look(62, { heartbeat: beat(2) }))).toBeNull()
  })

  it('may take long for a huge batch', () => {
    const stall = new Stall()
    const huge = { heartbeat: beat(1, 600) }
    expect([0, 300, 599].map((seconds) => stall.see(look(seconds, huge)))).toEqual([null, null, null])
    expect(stall.see(look(601, huge))).not.toBeNull()
  })

  it('is not stalled while its events arrive', () => {
    const stall = new Stall()
    for (let seconds = 0; seconds < 500; seconds += 50)
      expect(stall.see(look(seconds, { eventsRead: 100 + seconds }))).toBeNull()
  })

  it('of an older version, without a heartbeat, never counts as stalled', () => {
    const stall = new Stall()
    for (const seconds of [0, 10_000]) expect(stall.see(look(seconds, { heartbeat: null }))).toBeNull()
  })

  it('that accepted its order and wrote nothing is stalled', () => {
    const stall = new Stall()
    const silent = { heartbeat: null, eventsRead: 0 }
    expect([0, 119].map((seconds) => stall.see(look(seconds, silent)))).toEqual([null, null])
    expect(stall.see(look(121, silent))).toMatchObject({ doing: 'starting' })
  })

  it('that is suspended is stalled at the second check', () => {
    const stall = new Stall()
    const suspended = { state: 'suspended' } as const
    expect(stall.see(look(0, suspended))).toBeNull()
    expect(stall.see(look(1, suspended))?.remedy).toContain(
      '(process 7 on gpu-3) is suspended. Continue it with kill -CONT',
    )
    expect(stall.see(look(2, { heartbeat: beat(2) }))).toBeNull()
  })

  it('stays stalled for the next service until it continues', () => {
    const found = { since: AT, doing: 'training', remedy: 'Look.' }
    const stall = new Stall(found)
    expect([0, 1].map((seconds) => stall.see(look(seconds)))).toEqual([found, found])
    expect(stall.see(look(2, { heartbeat: beat(2) }))).toBeNull()
  })
})
