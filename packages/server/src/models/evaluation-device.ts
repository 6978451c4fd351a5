import { phrase, type Warning, warningOf } from '@medloom/contracts'
import type { DeviceSlots } from '../training/scheduling/device-slots.js'

/** Runs on the device if a slot is free; otherwise on the CPU, with a warning, because the caller waits for the response. */
export async function onFreeDevice<Result>(
  slots: Pick<DeviceSlots, 'tryAcquire'>,
  wanted: string,
  work: (device: string) => Promise<Result>,
): Promise<{ readonly result: Result; readonly warnings: readonly Warning[] }> {
  const slot = await slots.tryAcquire(wanted)
  try {
    const result = await work(slot?.device ?? 'cpu')
    return { result, warnings: slot ? [] : [takenDevice(wanted)] }
  } finally {
    slot?.release()
  }
}

function takenDevice(device: string): Warning {
  return warningOf('EVALUATED_ON_CPU', [phrase('evaluated_on_cpu', { device })])
}
