import { spawnSync } from 'node:child_process'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { ONE_PROCESS } from '../../../testing/training/launcher-contract.js'
import { BEGUN_ELSEWHERE, batchScript, NOT_WRITABLE } from './batch-script.js'

const folder = mkdtempSync(join(tmpdir(), 'medloom-batch-'))
afterAll(() => rmSync(folder, { recursive: true }))

const python = join(folder, "it's python")
writeFileSync(python, '#!/bin/sh\nprintf "%s|" "$@"; printf "%s" "$TORCH_HOME"\n', { mode: 0o755 })
const spec = join(folder, 'a $(b) `c`/spec.json')
const order = { job_id: 'j', attempt: 2, spec, resources: ONE_PROCESS }
const run = (script: string, job = '17') =>
  spawnSync('sh', ['-c', script], { env: { PATH: process.env.PATH, SLURM_JOB_ID: job }, encoding: 'utf8' })

describe('the script of a Slurm job', () => {
  it('becomes the trainer, with every word unchanged', () => {
    vi.stubEnv('TORCH_HOME', 'x\'; echo "$HOME"')
    const { stdout } = run(batchScript({ order, python, claim: null }))
    vi.unstubAllEnvs()
    expect(stdout).toBe(`-m|medloom_trainer|train|--log|--attempt=2|${spec}|x'; echo "$HOME"`)
  })

  it('executes its attempt once', () => {
    const claim = join(folder, 'slurm.2.job')
    const script = batchScript({ order, python, claim })
    expect(run(script).status).toBe(0)
    expect(run(script, '18')).toMatchObject({ status: BEGUN_ELSEWHERE, stdout: '' })
    expect(readlinkSync(claim)).toBe('17')
  })

  it('does not mistake a missing folder for an attempt that has started elsewhere', () => {
    const claim = join(folder, "it's absent", 'slurm.2.job')
    expect(run(batchScript({ order, python, claim }))).toMatchObject({ status: NOT_WRITABLE, stdout: '' })
  })

  it('leaves the variables of the node and of Slurm unchanged', () => {
    vi.stubEnv('CUDA_VISIBLE_DEVICES', '7')
    vi.stubEnv('TMPDIR', '/of/the/service')
    vi.stubEnv('MEDLOOM_TOKEN', 'secret')
    const script = batchScript({ order, python, claim: null })
    vi.unstubAllEnvs()
    for (const name of ['CUDA_VISIBLE_DEVICES', 'TMPDIR', 'HOME', 'secret'])
      expect(script).not.toContain(name)
  })
})
