import { describe, expect, it } from 'vitest'
import { ONE_PROCESS } from '../../testing/training/launcher-contract.js'
import { MEDLOOM_VERSION } from '../version.js'
import { trainerCommand } from './trainer-command.js'

const order = {
  job_id: 'c1b7e6b0-2f0e-4c55-9d0e-2f4b8f6f3a11',
  attempt: 3,
  spec: '/runs/c1/spec.json',
  resources: ONE_PROCESS,
}

describe('the command of a trainer', () => {
  it('names the spec in a shared folder, and logs to the run', () => {
    const { argv, environment } = trainerCommand('/env/bin/python', order)
    const train = ['train', '--log', '--attempt=3', '/runs/c1/spec.json']
    expect(argv).toEqual(['/env/bin/python', '-m', 'medloom_trainer', ...train])
    expect(environment).toMatchObject({ MEDLOOM_VERSION, PYTHONUNBUFFERED: '1' })
  })

  it('starts the group if a training has processes on several nodes', () => {
    const { argv } = trainerCommand('python3', { ...order, resources: { ...ONE_PROCESS, nodes: 2 } })
    const group = ['group', '--log', '--attempt=3', '/runs/c1/spec.json']
    expect(argv).toEqual(['python3', '-m', 'medloom_trainer', ...group])
  })

  it('names no file if the spec is fetched, and passes the token only in its environment', () => {
    const spec = 'https://medloom.example:8443'
    const { argv, environment } = trainerCommand('python3', { ...order, spec, token: 'of this attempt' })
    expect(argv).toEqual(['python3', '-m', 'medloom_trainer', 'remote'])
    expect(environment).toMatchObject({
      MEDLOOM_EXCHANGE_URL: spec,
      MEDLOOM_EXCHANGE_TOKEN: 'of this attempt',
      MEDLOOM_JOB_ID: order.job_id,
      MEDLOOM_ATTEMPT: '3',
    })
  })
})
