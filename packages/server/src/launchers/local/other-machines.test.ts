import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { refuseOtherMachines } from './other-machines.js'
import { bootId } from './process-identity.js'

const running = (host: string, boot = 'of another start') => ({
  ...{ launcher: 'local', pid: 1, started: '1', mark: 'm' },
  ...{ boot, host },
})

test('trainings on another machine are refused, with their number, the machine and a remedy', async () => {
  const refused = refuseOtherMachines([running('gpu-1'), running('gpu-1'), running(hostname())], null)
  await expect(refused).rejects.toMatchObject({
    message: expect.stringContaining('2 trainings run on the machine gpu-1'),
    remedy: expect.stringContaining('--lost-machine gpu-1'),
  })
  await expect(refuseOtherMachines([running('gpu-1')], 'gpu-2')).rejects.toThrow('a training runs on')
})

test('trainings of this machine, of its earlier boot, and of a lost machine are accepted', async () => {
  const boot = await bootId()
  const handles = [running(hostname()), running('renamed since', boot), running('gpu-1')]
  await expect(refuseOtherMachines(handles, 'gpu-1')).resolves.toBeUndefined()
})
