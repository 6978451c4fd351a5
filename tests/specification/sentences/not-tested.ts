import type { PromiseId } from './index.js'

/** Sentences without a test, with the reasons. */
export const NOT_TESTED: Partial<Record<PromiseId, string>> = {
  '0/scope': 'it describes the document, not the service',
  '0/single': 'it describes the document, not the service',
  '1/addresses': 'it explains the notation',
  '1/stage': 'it describes the design, not the service',
  '2.1/fields': 'it introduces the table whose rows follow',
  '2.12/format': 'it explains the notation',
  '4/placeholders': 'it explains the notation',
  '4/planned': 'it introduces the table whose rows follow',
  '5/future': 'it speaks of future versions',
  '5/https': 'it is left to what stands in front of the service: the service itself speaks HTTP',
  '5/encryption': 'it is left to the disks that the service is given',
  '5/mechanism': 'it says what the interface does not have',
  '8/time-outs': 'it leaves them open; that of a request, 60 s to arrive, would cost a test its minute',
}
