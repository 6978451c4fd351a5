import type { Warning } from '@medloom/contracts'
import type { Places } from '../training/scheduling/places.js'

/** Runs on the device if a slot is free; otherwise on the CPU, with a warning, because the caller waits for the response. */
export async function onFreeDevice<Result>(
  places: Pick<Places, 'tryHold'>,
  wanted: string,
  work: (device: string) => Promise<Result>,
): Promise<{ readonly result: Result; readonly warnings: readonly Warning[] }> {
  const hold = await places.tryHold(wanted)
  try {
    const result = await work(hold?.device ?? 'cpu')
    return { result, warnings: hold ? [] : [takenDevice(wanted)] }
  } finally {
    hold?.release()
  }
}

function takenDevice(device: string): Warning {
  return {
    code: 'EVALUATED_ON_CPU',
    message: `No place on an accelerator was free (device ${device}): the evaluation ran on the CPU.`,
  }
}
