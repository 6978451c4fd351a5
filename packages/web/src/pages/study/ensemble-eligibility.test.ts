import { describe, expect, it } from 'vitest'
import { canFormEnsemble, hasSeveralFolds } from './ensemble-eligibility'
import type { StudyJob } from './live-study'

const ENDED = { status: 'completed' } as const
const TRAINED = { kind: 'trained', num_completed: 2 } as const
const job = (variant: string, fold: number | null) => ({ variant, repeat: 0, fold }) as StudyJob

describe('the models of a variant', () => {
  it('are combined once the study has ended and left two of them', () => {
    expect(canFormEnsemble(ENDED, TRAINED)).toBe(true)
    expect(canFormEnsemble({ status: 'stopped' }, TRAINED)).toBe(true)
    expect(canFormEnsemble({ status: 'running' }, TRAINED)).toBe(false)
    expect(canFormEnsemble(ENDED, { ...TRAINED, num_completed: 1 })).toBe(false)
    expect(canFormEnsemble(ENDED, { kind: 'baseline', num_completed: 10 })).toBe(false)
  })

  it('know the held-out rows of each other where they are of several folds', () => {
    const jobs = [job('a', 0), job('a', 1), job('b', 0), job('b', 0), job('c', null)]
    expect(['a', 'b', 'c'].map((name) => hasSeveralFolds({ jobs }, name))).toEqual([true, false, false])
  })
})
