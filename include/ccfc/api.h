/* What libccfc exports; everything else in it is hidden. */
#ifndef CCFC_API_H
#define CCFC_API_H

#define CCFC_API __attribute__((visibility("default")))

#endif
