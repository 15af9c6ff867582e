package android.util;

/** Attributes of a view in a layout file. */
public interface AttributeSet {
    int getAttributeCount();
}
