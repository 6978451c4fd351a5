import styles from './icon.module.css'

/** Icons of this page: 20 × 20, one stroke, in the text color. An icon never appears without text. */
const PATHS = {
  home: 'M3 9.5 10 3l7 6.5M5 8v9h10V8M8.5 17v-5h3v5',
  data: 'M3 5c0-1.4 3.1-2.5 7-2.5S17 3.6 17 5s-3.1 2.5-7 2.5S3 6.4 3 5v10c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5V5M3 10c0 1.4 3.1 2.5 7 2.5s7-1.1 7-2.5',
  train: 'M10 3v14M3 10h14',
  runs: 'M3 15.5l4-5 3.5 3L17 5M17 5h-4M17 5v4',
  compare: 'M7 3v14M13 3v14M3 7l4-4M17 13l-4 4',
  study: 'M4 16V9M8 16V5M12 16v-5M16 16V3M2.5 17.5h15',
  model: 'M10 2.5 16.5 6v8L10 17.5 3.5 14V6ZM3.5 6 10 9.7 16.5 6M10 9.7v7.8',
  workflow: 'M3 4h5v4H3ZM12 4h5v4h-5ZM7.5 13h5v4h-5ZM5.5 8v2.5h9V8M10 10.5V13',
  system: 'M3 4h14v9H3ZM7 17h6M10 13v4',
  waiting: 'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M10 6v4l2.5 2',
  running: 'M6 4l10 6-10 6Z',
  good: 'M4 10.5l4 4 8-9',
  bad: 'M10 2.5 18 16.5H2ZM10 8v4M10 14.2v.3',
  stopped: 'M5 5h10v10H5Z',
  info: 'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M10 9v5M10 6v.4',
  search: 'M9 3a6 6 0 1 1 0 12A6 6 0 0 1 9 3M13.5 13.5 17 17',
  close: 'M5 5l10 10M15 5 5 15',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  left: 'M12 5l-5 5 5 5',
  menu: 'M3 5h14M3 10h14M3 15h14',
  folder: 'M2.5 5h5l2 2h8v9h-15Z',
  file: 'M5 2.5h7l3.5 3.5v11.5H5ZM12 2.5V6h3.5',
  image: 'M3 4h14v12H3ZM3 13l4-4 4 4 2.5-2.5L17 14M13 7.2v.3',
  copy: 'M7 7h9v10H7ZM4 13V3h9',
  download: 'M10 3v9M6 9l4 4 4-4M4 17h12',
  upload: 'M10 13V4M6 8l4-4 4 4M4 17h12',
  delete: 'M4 6h12M8 6V3.5h4V6M5.5 6l.7 11h7.6l.7-11M8.5 9v5M11.5 9v5',
  edit: 'M4 16l.7-3.3L13.5 4l2.6 2.6-8.8 8.7Z',
  tag: 'M3 3h6.5l8 8-6.5 6.5-8-8ZM6.5 6.4v.2',
  pin: 'M7 3h6l-1 5 3 3H5l3-3ZM10 11v6',
  archive: 'M3 4h14v3H3ZM4 7v9h12V7M8 10h4',
  help: 'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M8 8a2 2 0 1 1 2.8 1.9c-.6.3-.8.7-.8 1.6M10 13.8v.3',
  language: 'M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M3 10h14M10 3c-5 5-5 9 0 14M10 3c5 5 5 9 0 14',
  theme: 'M10 3a7 7 0 1 0 0 14ZM10 3a7 7 0 0 1 0 14',
  external: 'M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7',
  more: 'M4.5 10h.4M9.8 10h.4M15.1 10h.4',
} as const

export type IconName = keyof typeof PATHS

/** Icon next to a word; it adds no information, so screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
