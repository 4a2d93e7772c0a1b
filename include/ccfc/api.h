/* Marks the functions that libccfc exports; all others are hidden. */
#ifndef CCFC_API_H
#define CCFC_API_H

#define CCFC_API __attribute__((visibility("default")))

#endif
