import type { Content } from 'pdfmake'
import type { Flow, FlowStep } from '../../document/document.js'
import { printed } from '../../theme/font.js'
import { color } from '../../theme/theme.js'
import { WIDTH } from './pdf-page.js'

const MAX_BOX_WIDTH = 170
const GAP = 10

/** Boxes with an arrow from one to the next, and lanes as columns below them. */
export function writeFlow({ caption, steps, lanes }: Flow): Content {
  const laneWidth = (WIDTH - (lanes.length - 1) * GAP) / Math.max(1, lanes.length)
  return {
    unbreakable: true,
    stack: [
      { text: printed(caption), bold: true, margin: [0, 2, 0, 4] },
      ...chain(steps, MAX_BOX_WIDTH),
      ...(steps.length > 0 && lanes.length > 0 ? [arrow('')] : []),
      ...(lanes.length > 0
        ? [{ columns: lanes.map((lane) => ({ width: '*', stack: chain(lane, laneWidth) })), columnGap: GAP }]
        : []),
    ],
    margin: [0, 2, 0, 10],
  }
}

function chain(steps: readonly FlowStep[], width: number): Content[] {
  return steps.flatMap((step, index) => [
    ...(index > 0 ? [arrow(step.left_out ?? '')] : []),
    box(step, Math.min(width, MAX_BOX_WIDTH)),
  ])
}

function box({ label, counts }: FlowStep, width: number): Content {
  const line = () => 0.8
  const lineColor = () => color('muted')
  return {
    table: {
      widths: [width - 20],
      body: [
        [
          {
            stack: [
              { text: printed(label), bold: true },
              { text: printed(counts), color: color('muted') },
            ],
          },
        ],
      ],
    },
    layout: {
      hLineWidth: line,
      vLineWidth: line,
      hLineColor: lineColor,
      vLineColor: lineColor,
      paddingLeft: () => 7,
      paddingRight: () => 7,
      paddingTop: () => 3,
      paddingBottom: () => 2,
    },
    fontSize: 8,
  }
}

function arrow(label: string): Content {
  return {
    columns: [
      {
        width: 30,
        canvas: [
          { type: 'line', x1: 20, y1: 0, x2: 20, y2: 14, lineWidth: 0.8, lineColor: color('muted') },
          {
            type: 'polyline',
            closePath: true,
            color: color('muted'),
            points: [
              { x: 17, y: 12 },
              { x: 23, y: 12 },
              { x: 20, y: 17 },
            ],
          },
        ],
      },
      { width: '*', text: printed(label), fontSize: 7.5, color: color('muted'), margin: [0, 4, 0, 0] },
    ],
  }
}
