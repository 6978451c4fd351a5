import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JobMessage } from '@medloom/contracts'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasSlurm, type SlurmCluster, startSlurmCluster } from '../../../testing/slurm-cluster.js'
import { Place, startTrainingService } from '../../../testing/training/training-service.js'
import { SLURM_DEFAULTS, type SlurmSettings } from '../../ports/slurm-settings.js'

type Service = Awaited<ReturnType<typeof startTrainingService>>

describe.each([
  ['with accounting', true],
  ['without accounting', false],
])('trainings as jobs of a Slurm cluster %s', (_, accounting) => {
  // The cluster without accounting starts faster and is used by the tests without the tag.
  describe.skipIf(!hasSlurm({ accounting }))('', { tags: accounting ? ['full'] : [] }, () => {
    let cluster: SlurmCluster | undefined
    const current = () => cluster as SlurmCluster
    beforeAll(async () => {
      // Without accounting, only the controller knows the end of a job; with it, the controller may soon forget the job.
      cluster = await startSlurmCluster({ nodes: [2, 2], accounting, minJobAge: accounting ? 2 : 300 })
      vi.stubEnv('SLURM_CONF', current().env.SLURM_CONF)
    })
    afterAll(async () => {
      vi.unstubAllEnvs()
      await cluster?.close()
    })

    // Tests that do not depend on accounting run once. They are not declared a second time, so none counts as skipped.
    const itWithAccounting = (title: string, body: () => Promise<void>) => {
      if (accounting) it(title, body)
    }
    let place: Place
    let service: Service | undefined
    const open = async (slurm: Partial<SlurmSettings> = {}, settings: object = {}) => {
      const launcher = {
        launcher: 'slurm',
        slurm: { ...SLURM_DEFAULTS, pollSeconds: 0.2, ...slurm },
      } as const
      service = await startTrainingService(place, { ...launcher, ...settings })
      return service
    }
    const begin = async (...settings: Parameters<typeof open>) => {
      place = new Place()
      return open(...settings)
    }
    afterEach(async () => {
      await current().cancelAll()
      await service?.close()
      service = undefined
      place?.remove()
    })

    const queued = async (format = '%j') =>
      (await current().run('squeue', '-h', '-o', format)).trim().split('\n').filter(Boolean)
    const names = (jobId: string, attempt = 1) => `medloom-${jobId}-${attempt}`
    const messagesOf = async (jobId: string): Promise<JobMessage[]> => {
      const following = (service as Service).follow(jobId, '?since=0')
      await following.closed
      return following.messages
    }
    const expectWhole = async (jobId: string) => {
      const messages = await messagesOf(jobId)
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      expect(messages.filter(({ type }) => type === 'completed' || type === 'error')).toHaveLength(1)
      return messages
    }

    it('end with a checkpoint before their time limit, and continue as the next attempt of the same job', async () => {
      const { start, until, ended, send } = await begin()
      /** Until this attempt has trained: it begins with the epochs of the one before, and a signal to a waiting job is lost. */
      const untilTrained = async (id: string, number: number) => {
        const { epoch: before } = await until(id, ({ attempt }) => attempt === number)
        await until(id, ({ attempt, epoch }) => attempt === number && epoch >= before + 3)
      }
      const jobId = await start('batches=1 delay=100', place.config({ epochs: 4000 }))
      await until(jobId, ({ epoch }) => epoch >= 3)
      // The same effect as --signal=B:TERM@….
      await current().run('scancel', '--batch', '--signal=TERM', `--name=${names(jobId)}`)
      await untilTrained(jobId, 2)
      await current().run('scancel', '--batch', '--signal=TERM', `--name=${names(jobId, 2)}`)
      await untilTrained(jobId, 3)
      await send('POST', `/api/training/${jobId}/finish`)
      const job = await ended(jobId)
      expect(job).toMatchObject({ status: 'completed', attempt: 3 })
      const epochs = (await expectWhole(jobId)).flatMap((message) =>
        message.type === 'epoch_end' ? [message.epoch] : [],
      )
      expect(epochs).toEqual(Array.from({ length: job.epoch }, (_, index) => index + 1))
    })

    itWithAccounting('receive the warning of Slurm about their time limit', async () => {
      // Slurm checks the limits every 30 s.
      const { start, status, stop } = await begin({ time: '1', graceSeconds: 60 })
      const jobId = await start('delay=20', place.config({ epochs: 4000 }))
      await expect.poll(async () => (await status(jobId)).attempt).toBe(2)
      const { run_dir } = await status(jobId)
      expect(JSON.parse(readFileSync(join(run_dir, 'spec.json'), 'utf8')).resume_from).toContain('last')
      expect((await stop(jobId)).body).toMatchObject({ status: 'stopped' })
    })

    itWithAccounting('are stopped by their user once: no attempt follows', async () => {
      const { start, until, stop } = await begin()
      const jobId = await start('delay=20', place.config({ epochs: 4000 }))
      await until(jobId, ({ epoch }) => epoch >= 2)
      expect((await stop(jobId)).body).toMatchObject({ status: 'stopped' })
      expect(await until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({
        status: 'stopped',
        attempt: 1,
      })
      await expect.poll(() => queued()).toEqual([])
      await expectWhole(jobId)
    })

    it('that a user cancels in Slurm are stopped, not started again', async () => {
      const { start, until, ended } = await begin()
      const jobId = await start('delay=20', place.config({ epochs: 4000 }))
      await until(jobId, ({ epoch }) => epoch >= 2)
      await current().run('scancel', `--name=${names(jobId)}`)
      expect(await ended(jobId)).toMatchObject({ status: 'stopped', attempt: 1 })
      expect(await queued()).toEqual([])
    })

    it('that a user cancels in Slurm while they wait are stopped, not started again', {
      tags: ['full'],
    }, async () => {
      const { start, until, ended } = await begin()
      await current().run(
        'sbatch',
        '--exclusive',
        '--nodes=2',
        '--output=/dev/null',
        '--wrap',
        'exec sleep 600',
      )
      await expect.poll(() => queued('%T')).toEqual(['RUNNING'])
      const jobId = await start('waits')
      await until(jobId, ({ reason }) => reason?.includes('waits in Slurm') === true)
      await current().run('scancel', `--name=${names(jobId)}`)
      expect(await ended(jobId)).toMatchObject({
        status: 'stopped',
        attempt: 1,
        reason: 'canceled in Slurm',
        started_at: null,
      })
      expect(await queued('%j')).toEqual(['wrap'])
    })

    itWithAccounting(
      'that a user cancels before their trainer has reported anything are stopped',
      async () => {
        place = new Place()
        const mute = join(place.path, 'mute')
        writeFileSync(mute, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
        const { start, until, ended } = await open({}, { clusterPython: mute })
        const jobId = await start('mute')
        await until(jobId, ({ status }) => status === 'running')
        await current().run('scancel', `--name=${names(jobId)}`)
        expect(await ended(jobId)).toMatchObject({
          status: 'stopped',
          attempt: 1,
          reason: 'canceled in Slurm',
        })
        expect(await queued()).toEqual([])
      },
    )

    itWithAccounting(
      'wait in Slurm without having started, show the reason, and can be canceled',
      async () => {
        const { start, until, stop } = await begin()
        await current().run(
          'sbatch',
          '--exclusive',
          '--nodes=2',
          '--output=/dev/null',
          '--wrap',
          'exec sleep 600',
        )
        await expect.poll(() => queued('%T')).toEqual(['RUNNING'])
        const jobId = await start('waits')
        const job = await until(jobId, ({ reason }) => reason !== null)
        expect(job).toMatchObject({ status: 'started', phase: 'queued', started_at: null })
        expect(job.reason).toMatch(/waits in Slurm .*\((Resources|Priority)\)/)
        expect((await stop(jobId)).body).toMatchObject({ status: 'stopped' })
        await expect.poll(() => queued('%j')).not.toContain(names(jobId))
        expect(await until(jobId, ({ ended_at }) => ended_at !== null)).toMatchObject({ started_at: null })
      },
    )

    itWithAccounting(
      'continue while the controller is gone, even over a restart of the service',
      async () => {
        const first = await begin({}, { stopGraceSeconds: 1 })
        const jobId = await first.start('delay=20', place.config({ epochs: 60 }))
        await first.until(jobId, ({ epoch }) => epoch >= 2)
        await current().stopController()
        await first.until(jobId, ({ epoch }) => epoch >= 8)
        await first.close()
        const second = await open()
        await second.until(jobId, ({ epoch }) => epoch >= 12)
        expect(await second.status(jobId)).toMatchObject({ status: 'running', attempt: 1 })
        await current().startController()
        expect(await second.ended(jobId)).toMatchObject({ status: 'completed', attempt: 1 })
        await expectWhole(jobId)
      },
    )

    /**
     * A training whose submissions run `submit`, a shell line in which $sbatch is Slurm's sbatch and $calls lists the calls. @returns the
     * number of submissions.
     */
    const submissionsBy = async (submit: string) => {
      const programs = mkdtempSync(join(tmpdir(), 'medloom-sbatch-'))
      const script = [
        '#!/bin/sh',
        `sbatch=${execFileSync('which', ['sbatch'], { encoding: 'utf8' }).trim()}`,
        'case "$*" in *--test-only*) exec $sbatch "$@";; esac',
        `calls=${programs}/calls; echo submitted >> $calls`,
        submit,
        'echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2',
        'exit 1',
      ]
      writeFileSync(join(programs, 'sbatch'), script.join('\n'))
      chmodSync(join(programs, 'sbatch'), 0o755)
      vi.stubEnv('PATH', `${programs}:${process.env.PATH}`)
      try {
        const { start, ended } = await begin()
        expect(await ended(await start('once'))).toMatchObject({ status: 'completed', attempt: 1 })
        return readFileSync(join(programs, 'calls'), 'utf8').split('\n').filter(Boolean).length
      } finally {
        vi.stubEnv('PATH', process.env.PATH?.replace(`${programs}:`, ''))
        rmSync(programs, { recursive: true })
      }
    }

    itWithAccounting('are submitted once, although the answer of Slurm was lost', async () => {
      expect(await submissionsBy('$sbatch "$@" >/dev/null')).toBe(1)
    })

    // With accounting, it takes a minute until a job is known to be missing.
    if (!accounting)
      it('are submitted again when Slurm never got them', async () => {
        expect(await submissionsBy('[ "$(wc -l < "$calls")" = 1 ] || exec $sbatch "$@"')).toBe(2)
      })

    itWithAccounting('start each attempt once, even if Slurm receives it twice', async () => {
      const { start, until } = await begin()
      const jobId = await start('delay=20', place.config({ epochs: 4000 }))
      const { run_dir } = await until(jobId, ({ epoch }) => epoch >= 2)
      const again = await current().run(
        'sbatch',
        '--parsable',
        '--output=/dev/null',
        join(run_dir, 'slurm.1.sh'),
      )
      const line = async () =>
        (await current().run('scontrol', 'show', 'job', again.trim())).match(/ExitCode=\d+/)?.[0]
      await expect.poll(line).toBe('ExitCode=75')
      expect(readFileSync(join(run_dir, 'events.1.jsonl'), 'utf8').split('"preparing"')).toHaveLength(2)
    })

    itWithAccounting('that Slurm would refuse fail at once, with its message', async () => {
      const { start, ended } = await begin({ partition: 'main', options: ['--constraint=nothing'] })
      const jobId = await start('refused')
      const job = await ended(jobId)
      expect(job).toMatchObject({ status: 'failed', attempt: 0, error: { code: 'SLURM_REFUSED' } })
      expect(job.error?.message).toContain('feature')
    })

    itWithAccounting('wait as long as the cluster cannot be reached', async () => {
      const { start, status, ended, send } = await begin()
      await current().stopController()
      const jobId = await start('later')
      expect(await status(jobId)).toMatchObject({ status: 'started', error: null })
      expect((await send('GET', '/api/system/ready')).status).toBe(200)
      await current().startController()
      expect(await ended(jobId)).toMatchObject({ status: 'completed' })
    })

    itWithAccounting('wait while their partition accepts no jobs', async () => {
      const { start, status, ended } = await begin()
      await current().run('scontrol', 'update', 'PartitionName=main', 'State=DRAIN')
      try {
        const jobId = await start('drained')
        await expect.poll(async () => (await status(jobId)).reason).toContain('partition not available')
        expect(await status(jobId)).toMatchObject({ status: 'started', error: null })
        await current().run('scontrol', 'update', 'PartitionName=main', 'State=UP')
        expect(await ended(jobId)).toMatchObject({ status: 'completed', attempt: 1 })
      } finally {
        await current().run('scontrol', 'update', 'PartitionName=main', 'State=UP')
      }
    })

    itWithAccounting('on several nodes are refused by name', async () => {
      const { start } = await begin()
      await expect(start('wide', place.config({ device: 'cuda:4x2' }))).rejects.toThrow('DEVICE_UNAVAILABLE')
    })

    itWithAccounting('hide their environment from other users', async () => {
      vi.stubEnv('TORCH_SHOWN', "it's 1")
      vi.stubEnv('MEDLOOM_SECRET', 'not this')
      const { start, ended } = await begin()
      const jobId = await start('private')
      const { run_dir } = await ended(jobId)
      const script = readFileSync(join(run_dir, 'slurm.1.sh'), 'utf8')
      expect(script).toContain("export TORCH_SHOWN='it'\\''s 1'")
      expect(script).not.toContain('not this')
    })

    itWithAccounting('that are preempted by a more urgent job continue after its end', async () => {
      const { start, status, until, ended } = await begin()
      const jobId = await start('delay=20', place.config({ epochs: 60 }))
      await until(jobId, ({ epoch }) => epoch >= 3)
      const urgent = ['--partition=urgent', '--exclusive', '--nodes=2', '--output=/dev/null']
      const other = await current().run('sbatch', '--parsable', ...urgent, '--wrap', 'exec sleep 600')
      await expect.poll(async () => (await status(jobId)).attempt).toBe(2)
      await expect.poll(async () => (await status(jobId)).reason).toMatch(/waits in Slurm/)
      await current().run('scancel', other.trim())
      expect(await ended(jobId)).toMatchObject({ status: 'completed', attempt: 2, epoch: 60 })
      await expectWhole(jobId)
    })

    itWithAccounting('on a lost node continue elsewhere', async () => {
      const { start, until, ended } = await begin()
      const jobId = await start('delay=20', place.config({ epochs: 60 }))
      await until(jobId, ({ epoch }) => epoch >= 3)
      const [node = ''] = await queued('%N')
      await current().killNode(Number(node.slice(1)))
      expect(await ended(jobId)).toMatchObject({ status: 'completed', attempt: 2, epoch: 60 })
      await expectWhole(jobId)
    })
  })
})
