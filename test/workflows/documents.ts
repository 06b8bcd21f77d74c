// Documents that are in order, for the tests of the linters and of the workflows.

export const SPEC = `# Spec: CSV export
- Feature: csv-export
- Created: 2026-01-31
- Request: save my table as CSV

## User stories
### US-1 (P1): Save a table
As a clerk I want my table as a file, so that I can mail it.
- Normal: a table with rows → export → a file with one line a row
- Normal: one row → export → a header and one line
- Normal: a name is given → export → the file has that name
- Error: the disk is full -> export -> a message, no half file
- Edge: an empty table → export → only the header

## Functional requirements
- FR-1 (US-1): The program writes the rows of a table to a file.
- FR-2 (US-1): The name of the file can be chosen.

## Success criteria
- SC-1: 10,000 rows are written in less than 2 seconds.
`;

const diagram = '```mermaid\ngraph TD; a-->b\n```';
export const TECH = `# Tech: CSV export
- Feature: csv-export
- Spec: .cospec/spec/csv-export/spec.md

## Context
${diagram}
## Containers
${diagram}
## Components
${diagram}

## Decisions
### ADR-1: Write row by row
- Status: accepted
- Context: tables may be larger than memory
- Decision: a stream of lines
- Consequences: the size is not known before the end

## Requirements
- FR-1: src/export.ts
- FR-2: src/name.ts
`;

export const PLAN = `# Plan: CSV export
- Change: add-csv-export
- Feature: csv-export
- Spec: .cospec/spec/csv-export/spec.md
- Design: .cospec/spec/csv-export/tech.md

- [ ] 1. Export a table (FR-1)
  - Demo: run it and open the file
  - Depends: none
- [ ] 2. Choose a name (FR-2)
  - Demo: run it with a name
  - Depends: 1
`;

export const PROPOSAL = `# Proposal: add-export
## Reason
Tables leave the program by copy and paste.
## Changes
- FR-1: rows are written as CSV
- FR-2: BREAKING: the old button goes
## Impact
- Affected: src/export.ts
`;

export const TASKS = `# Tasks: add-export
- [ ] 1.1 Write rows as CSV
  - Target: src/export.ts
  - Purpose: rows leave the program (FR-1)
  - Method: add function toCsv
  - Depends: none
  - Content: header line, quotes doubled
- [ ] 1.2 Take the button away
  - Target: src/page.ts
  - Purpose: one way only (FR-2)
  - Method: delete class CopyButton
  - Depends: 1.1
  - Content: the button and its style
`;
