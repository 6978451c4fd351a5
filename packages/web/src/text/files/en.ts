import type { Format, Messages } from '../define'

/** Choosing files of the machine that the service runs on. */
export const en = {
  browse: 'Browse',
  choose: ({ label }: { label: string }) => `Choose: ${label}`,
  roots: 'Folders that the service may read',
  up: 'Up',
  entries: 'Files and folders',
  'entries.empty': 'This folder is empty.',
  'entries.none': 'The service may read no folder yet. Start it with --root FOLDER, or upload files.',
  'entries.more': ({ left }: { left: number }, f: Format) => `Show more (${f.number(left)} left)`,
  'take.folder': 'Choose this folder',
  'kind.folder': 'Folder',
  'kind.table': 'Table',
  'kind.image': 'Image',
  'kind.dicom': 'DICOM',
  'kind.nifti': 'NIfTI',
  'kind.other': 'File',
} satisfies Messages
