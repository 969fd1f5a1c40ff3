/** Client of a report. */
export interface Client {
  id: number;
  name: string;
  timeZone: string;
  createdAt: Date;
}
